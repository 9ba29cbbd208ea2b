// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/splitter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "orrery/trace/json/scan.h"

namespace orrery::trace::json {
namespace {

constexpr std::size_t kStep = 64;

bool contains(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}
bool is_opener(char c) { return c == '{' || c == '['; }
bool match(char opener, char closer) { return closer == opener + 2; }  // [ ] and { } in ASCII

}  // namespace

void Splitter::scan(std::string_view text, std::uint64_t offset, bool last,
                    std::vector<Element>& out) {
  text_ = text;
  base_ = offset;
  is_last_ = last;
  out_ = &out;
  while (!ended_) {
    const std::size_t rest = text_.size() - static_cast<std::size_t>(at_ - base_);
    if (is_last_ ? rest == 0 : rest < kStep + kAhead) break;
    if (!step()) break;
  }
  if (!ended_ && depth_ == 0) feed_gap(at_);
  if (!ended_) ended_before(at_);
}

/// Processes the next 64 bytes, or fewer at the end; false after the end of the array.
bool Splitter::step() {
  const auto local = static_cast<std::size_t>(at_ - base_);
  const char* bytes = text_.data() + local;
  const std::size_t count = std::min(kStep, text_.size() - local);
  std::array<char, kStep> tail;
  if (count < kStep) {
    tail.fill(' ');
    std::memcpy(tail.data(), bytes, count);
    bytes = tail.data();
  }
  const Masks masks = masks_of(bytes);
  const std::uint64_t inside = strings_.inside(masks);
  std::uint64_t bits = ((masks.openers | masks.closers) & ~inside) | (masks.openers & inside);
  for (; bits != 0; bits &= bits - 1) {
    const int i = std::countr_zero(bits);
    const std::uint64_t place = at_ + static_cast<std::uint64_t>(i);
    const char c = bytes[i];
    if (((inside >> i) & 1) != 0) {
      if (c != '{' || before(place) == ':' || !starts_element(place)) continue;
      resume_at(place);
      return true;
    }
    if (!bracket(place, c)) return !ended_;
  }
  at_ += count;
  return true;
}

/// Handles a bracket. Returns false if the scan does not continue after it.
bool Splitter::bracket(std::uint64_t place, char c) {
  if (is_opener(c)) return open(place, c);
  close(place, c);
  return !ended_;
}

bool Splitter::open(std::uint64_t place, char c) {
  if (depth_ == 0) {
    begin_element(place, c);
  } else if (c == '{' && begins_next_element(place)) {
    resume_at(place);
    return false;
  }
  if (depth_ == kDepth) {
    ++excess_depth_;
    state_ = ElementState::not_an_object;
  } else {
    stack_[depth_++] = c;
  }
  return true;
}

/// True if the object that begins at `place`, inside an element, must be the next element. This is
/// the case after a comma inside an object, or in an array that is not an element; also after a
/// comma in an array, if the object begins like an element.
bool Splitter::begins_next_element(std::uint64_t place) {
  if (excess_depth_ > 0) return false;
  const char ahead = before(place);
  if (stack_[depth_ - 1] == '{') return ahead != ':' && starts_element(place);
  if (stack_[0] == '[') return !keys_.empty() && starts_element(place);
  if (ahead == '[') {  // a regular array of objects
    const std::string_view key = first_key(place);
    if (!key.empty() && nested_keys_.size() < kKeys && !contains(nested_keys_, key))
      nested_keys_.emplace_back(key);
    return false;
  }
  return !keys_.empty() && starts_element(place) && !contains(nested_keys_, first_key(place));
}

void Splitter::close(std::uint64_t place, char c) {
  if (excess_depth_ > 0) {
    --excess_depth_;
  } else if (depth_ == 0) {
    if (c == ']') close_array(place);
  } else if (match(stack_[depth_ - 1], c)) {
    if (--depth_ == 0) finish(place + 1);
  } else {
    mismatch(place, c);
  }
}

/// After damage the bracket may be superfluous instead of the array's end; the following text
/// decides.
void Splitter::close_array(std::uint64_t place) {
  feed_gap(place);
  const bool doubtful =
      is_after_damage_ || gap_.has_ended_pieces || gap_.has_piece || gap_.commas > 0;
  if (!doubtful) {
    if (ends_array(place, false)) end_array(place);
  } else if (possible_array_end_ == 0 && ends_array(place, true)) {
    if (gap_.has_piece) end_piece(place);
    comma_before_end_ = gap_.commas > 0 && !gap_.has_ended_pieces && !is_after_damage_;
    possible_array_end_ = place;
  }
}

/// Handles a closing bracket of the wrong kind: either the brackets in between are missing, or it
/// is superfluous.
void Splitter::mismatch(std::uint64_t place, char c) {
  if (state_ != ElementState::not_an_object) state_ = ElementState::broken;
  for (std::size_t d = depth_; d > 0; --d) {
    if (!match(stack_[d - 1], c)) continue;
    depth_ = d - 1;
    if (depth_ == 0) finish(place + 1);
    return;
  }
  if (c == ']' && possible_array_end_ == 0 && before(place) == '}' && ends_array(place, true))
    possible_array_end_ = place;
}

void Splitter::begin_element(std::uint64_t place, char c) {
  if (possible_array_end_ != 0 && before(place) != ':' && starts_element(place))
    possible_array_end_ = 0;
  begin_ = place;
  const std::string_view rest = text_.substr(static_cast<std::size_t>(place - base_));
  has_unusual_start_ =
      !keys_.empty() && !rest.starts_with(usual_first_key_) && !starts_element(place);
  state_ = gap_before(place);
  if (c == '[') state_ = ElementState::not_an_object;
  is_first_ = false;
  is_after_damage_ = false;
}

/// State of the element after the gap. May move begin_ back.
ElementState Splitter::gap_before(std::uint64_t place) {
  const std::size_t from = static_cast<std::size_t>(gap_begin_ - base_);
  const std::string_view gap = text_.substr(from, static_cast<std::size_t>(place - gap_begin_));
  if (gap_is_whole_ && !is_first_ && !is_after_damage_ && !gap.empty() && gap == usual_gap_)
    return ElementState::clean;
  const bool whole = gap_is_whole_;
  feed_gap(place);
  const bool adjoins = gap_.has_piece;
  if (adjoins && !starts_element(place)) {  // `"args": {`: the element's head is gone
    begin_ = gap_.begin;
    if (gap_.has_ended_pieces && gap_.has_colon && !out_->empty() &&
        out_->back().state == ElementState::not_an_object) {
      begin_ = out_->back().begin;
      out_->pop_back();
    }
    return ElementState::not_an_object;
  }
  if (adjoins) end_piece(place);
  if (gap_.has_ended_pieces || is_after_damage_) return ElementState::unseparated;
  if (gap_.commas != (is_first_ ? 0u : 1u)) return ElementState::repaired;
  if (is_first_) return ElementState::clean;
  if (whole && gap.size() <= kAhead) usual_gap_ = gap;
  return ElementState::clean;
}

/// Ends the array at a bracket that seemed superfluous, if no element followed up to `end` and the
/// document ends there.
bool Splitter::ended_before(std::uint64_t end) {
  if (possible_array_end_ == 0 || !is_last_ || after_space(end) < text_.size()) return false;
  while (!out_->empty() && out_->back().end > possible_array_end_) out_->pop_back();
  if (depth_ > 0 && begin_ < possible_array_end_)
    out_->push_back({begin_, possible_array_end_, state_});
  depth_ = 0;
  ended_ = true;
  at_ = possible_array_end_ + 1;
  return true;
}

void Splitter::finish(std::uint64_t end) {
  if (ended_before(end)) return;
  if (state_ == ElementState::clean) remember_first_key();
  out_->push_back({begin_, end, state_});
  gap_begin_ = end;
  gap_ = Gap{};
  gap_is_whole_ = true;
  is_after_damage_ =
      has_unusual_start_ || state_ == ElementState::broken || state_ == ElementState::not_an_object;
}

/// Discards the current state: an element begins at `place`.
void Splitter::resume_at(std::uint64_t place) {
  if (depth_ > 0) {
    if (state_ != ElementState::not_an_object) state_ = ElementState::broken;
    depth_ = 0;
    excess_depth_ = 0;
    finish(place);
  } else {
    feed_gap(place);
    if (gap_.has_piece) end_piece(place);
    gap_ = Gap{};
  }
  is_after_damage_ = true;
  strings_ = BlockStringTracker{};
  at_ = place;
}

void Splitter::feed_gap(std::uint64_t to) {
  for (; gap_begin_ < to; ++gap_begin_) {
    const char c = text_[static_cast<std::size_t>(gap_begin_ - base_)];
    gap_is_whole_ = false;
    const bool inside = gap_.strings.inside();
    gap_.strings.take(c);
    if (inside || is_space(c)) continue;
    if (c == ',') {
      if (gap_.has_piece) end_piece(gap_begin_);
      ++gap_.commas;
      continue;
    }
    if (!gap_.has_piece) {
      gap_.has_piece = true;
      gap_.has_colon = false;
      gap_.begin = gap_begin_;
    }
    gap_.has_colon = gap_.has_colon || c == ':';
  }
}

/// Adds a piece between elements as junk. Members without their object count as one piece.
void Splitter::end_piece(std::uint64_t end) {
  const bool remainder = !out_->empty() && possible_array_end_ == 0 &&
                         out_->back().state >= ElementState::broken &&
                         (gap_.has_colon || (gap_.commas == 0 && !gap_.has_ended_pieces));
  if (remainder) {
    out_->back().end = end;
    out_->back().state = ElementState::not_an_object;
  } else {
    out_->push_back({gap_.begin, end, ElementState::not_an_object});
  }
  is_first_ = false;
  gap_.has_piece = false;
  gap_.strings = StringTracker{};
  gap_.has_ended_pieces = true;
}

void Splitter::end_array(std::uint64_t place) {
  feed_gap(place);
  if (gap_.has_piece) end_piece(place);
  comma_before_end_ = gap_.commas > 0 && !gap_.has_ended_pieces && !is_after_damage_;
  ended_ = true;
  at_ = place + 1;
}

/// Remembers the first key of a complete element.
void Splitter::remember_first_key() {
  const std::string_view rest = text_.substr(static_cast<std::size_t>(begin_ - base_));
  if (!usual_first_key_.empty() && rest.starts_with(usual_first_key_)) return;
  const std::string_view key = first_key(begin_);
  if (key.empty() || contains(nested_keys_, key)) return;
  usual_first_key_ =
      rest.substr(0, static_cast<std::size_t>(key.data() - rest.data()) + key.size() + 1);
  if (keys_.size() < kKeys && !contains(keys_, key)) keys_.emplace_back(key);
}

/// Position of the first non-space byte from `place` on.
std::size_t Splitter::after_space(std::uint64_t place) const {
  return skip_space(text_, static_cast<std::size_t>(place - base_));
}

/// The first key of the object at `place`; empty if the text does not look like an object.
std::string_view Splitter::first_key(std::uint64_t place) const {
  const std::size_t quote = after_space(place + 1);
  if (byte(quote) != '"') return {};
  const std::string_view rest = text_.substr(quote + 1, kAhead);
  const std::size_t size = rest.find_first_of("\"\\\n{}[]");
  if (size == std::string_view::npos || rest[size] != '"') return {};
  if (byte(after_space(base_ + quote + 1 + size + 1)) != ':') return {};
  return rest.substr(0, size);
}

bool Splitter::starts_element(std::uint64_t place) const {
  const std::string_view key = first_key(place);
  if (key.empty()) return false;
  return keys_.empty() || contains(keys_, key);
}

/// True if the text after a closing bracket can follow the array: the end, the end of the enclosing
/// object, or another member of it. `surely`: the text cannot be anything else.
bool Splitter::ends_array(std::uint64_t place, bool surely) const {
  std::size_t next = after_space(place + 1);
  if (next >= text_.size()) return true;
  if (byte(next) == '}') return after_space(base_ + next + 1) >= text_.size();
  if (byte(next) == ',') {
    next = after_space(base_ + next + 1);
    return surely ? byte(next) == '"' : byte(next) != '{';
  }
  return !surely && byte(next) != '{';
}

/// The last non-space byte before `place`, within the stored text.
char Splitter::before(std::uint64_t place) const {
  for (auto local = static_cast<std::size_t>(place - base_); local > 0; --local)
    if (!is_space(text_[local - 1])) return text_[local - 1];
  return '\0';
}

}  // namespace orrery::trace::json
