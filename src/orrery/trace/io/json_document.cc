// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/trace/json/repair.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::json {
namespace {

constexpr int kEnd = -1;
constexpr std::size_t kKeyBytes = 1u << 16;

}  // namespace

Document::Document(ByteSource& source, std::string where, Findings& findings)
    : window_(source), where_(std::move(where)), findings_(findings) {}

std::string Document::place() const { return fmt::format("{}:byte {}", where_, window_.offset()); }

void Document::count(FindingCode code, std::uint64_t offset) {
  findings_.add(code, fmt::format("{}:byte {}", where_, offset));
}

/// Like Window::need, but a truncated compressed file counts as ended.
Result<bool> Document::more(std::size_t count) {
  auto there = window_.need(count);
  if (!there && there.error().code == Errc::input_truncated) return false;
  return there;
}

/// The next non-space byte, which is not consumed; kEnd at the end.
Result<int> Document::peek() {
  for (;;) {
    window_.consume(skip_space(window_.text()));
    if (window_.size() > 0) return static_cast<unsigned char>(window_.text().front());
    const auto there = more(1);
    if (!there) return tl::unexpected(there.error());
    if (!*there) return kEnd;
  }
}

bool Document::end_with(FindingCode code) {
  count(code, window_.offset());
  position_ = Position::end;
  return false;
}

Result<bool> Document::next() {
  if (position_ == Position::start) return first_member();
  if (position_ == Position::value) {
    const auto skipped = skip_value();
    if (!skipped || !*skipped) return skipped;
  }
  if (position_ == Position::end) return false;
  return next_member();
}

Result<bool> Document::first_member() {
  position_ = Position::end;
  const auto some = more(3);
  if (!some) return some;
  if (window_.text().starts_with("\xEF\xBB\xBF")) window_.consume(3);
  const auto c = peek();
  if (!c) return tl::unexpected(c.error());
  if (*c == '[') {
    bare_array_ = true;
    position_ = Position::value;
    return true;
  }
  if (*c != '{') return fail(Errc::input_corrupt, place(), "this is not JSON");
  window_.consume(1);
  const auto then = peek();
  if (!then) return tl::unexpected(then.error());
  if (*then == '}') return false;
  return *then == kEnd ? end_with(FindingCode::truncated_tail_dropped) : read_key();
}

Result<bool> Document::next_member() {
  auto c = peek();
  if (!c) return tl::unexpected(c.error());
  if (bare_array_) {
    position_ = Position::end;
    return *c == kEnd ? false : end_with(FindingCode::corrupt_record_dropped);
  }
  if (*c == kEnd) return end_with(FindingCode::truncated_tail_dropped);
  if (*c == ',') {
    window_.consume(1);
    c = peek();
    if (!c) return tl::unexpected(c.error());
    if (*c == kEnd) return end_with(FindingCode::truncated_tail_dropped);
  } else if (*c == '"') {
    count(FindingCode::json_repaired, window_.offset());
  }
  if (*c == '}') {
    window_.consume(1);
    position_ = Position::end;
    const auto then = peek();
    if (!then) return tl::unexpected(then.error());
    return *then == kEnd ? false : end_with(FindingCode::corrupt_record_dropped);
  }
  return *c == '"' ? read_key() : end_with(FindingCode::corrupt_record_dropped);
}

/// Reads `"key":`; the position is then at the value.
Result<bool> Document::read_key() {
  std::size_t size = 1;
  StringTracker key;
  key.take('"');
  for (;; ++size) {
    const auto there = more(size + 1);
    if (!there) return there;
    if (!*there) return end_with(FindingCode::truncated_tail_dropped);
    key.take(window_.text()[size]);
    if (!key.inside()) break;
    if (size == kKeyBytes) return end_with(FindingCode::corrupt_record_dropped);
  }
  if (window_.text().front() != '"') return end_with(FindingCode::corrupt_record_dropped);
  key_ = window_.text().substr(1, size - 1);
  window_.consume(size + 1);
  auto c = peek();
  if (!c) return tl::unexpected(c.error());
  if (*c == ':') {
    window_.consume(1);
    c = peek();
    if (!c) return tl::unexpected(c.error());
  } else if (*c != kEnd) {
    return end_with(FindingCode::corrupt_record_dropped);
  }
  if (*c == kEnd) return end_with(FindingCode::truncated_tail_dropped);
  position_ = Position::value;
  value_size_ = 0;
  return true;
}

bool Document::is_array() const {
  return position_ == Position::value && window_.size() > 0 && window_.text().front() == '[';
}

/// Sets value_size_ (keep), or consumes the value; false if the document ends inside it.
Result<bool> Document::find_value_end(bool keep) {
  ValueScanner finder;
  std::size_t seen = 0;
  for (;;) {
    if (const auto size = finder.feed(window_.text().substr(seen))) {
      value_size_ = seen + *size;
      if (!keep) window_.consume(value_size_);
      return true;
    }
    seen = window_.size();
    if (keep && seen > limits::kJsonElementBytes) {
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("\"{}\" is longer than {} bytes", key_, limits::kJsonElementBytes));
    }
    if (!keep) window_.consume(std::exchange(seen, 0));
    const auto there = more(seen + 1);
    if (!there) return there;
    if (!*there) {
      if (!keep) return end_with(FindingCode::truncated_tail_dropped);
      value_size_ = 0;
      return false;
    }
  }
}

Result<std::string_view> Document::value() {
  if (position_ != Position::value) return std::string_view{};
  if (value_size_ == 0) {
    const auto found = find_value_end(true);
    if (!found) return tl::unexpected(found.error());
    if (!*found) return std::string_view{};  // next() reports the end
  }
  return window_.text().substr(0, value_size_);
}

Result<bool> Document::skip_value() {
  if (value_size_ > 0) {
    window_.consume(std::exchange(value_size_, 0));
  } else {
    const auto found = find_value_end(false);
    value_size_ = 0;
    if (!found || !*found) return found;
  }
  position_ = Position::after_value;
  return true;
}

Result<void> Document::for_each_element(const Handler& handle) {
  elements_ = 0;
  if (!is_array()) return {};
  window_.consume(1);
  value_size_ = 0;
  Splitter splitter(window_.offset());
  while (!splitter.ended()) {
    const std::size_t available = window_.size();
    const auto there = more(std::clamp<std::size_t>(available + available / 2 + 1, Window::kBlock,
                                                    limits::kJsonElementBytes + Window::kBlock));
    if (!there) return tl::unexpected(there.error());
    block_.clear();
    splitter.scan(window_.text(), window_.offset(), !*there, block_);
    deliver(handle);
    const std::uint64_t retained = splitter.ended() ? splitter.end() : splitter.keep_from();
    window_.consume(static_cast<std::size_t>(retained - window_.offset()));
    if (splitter.ended()) break;
    if (window_.size() > limits::kJsonElementBytes) {
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("an element is longer than {} bytes", limits::kJsonElementBytes));
    }
    if (!*there) {
      elements_ += window_.size() > 0 ? 1 : 0;
      end_with(FindingCode::truncated_tail_dropped);
      window_.consume(window_.size());
      return {};
    }
  }
  if (splitter.comma_before_end()) count(FindingCode::json_repaired, splitter.end() - 1);
  position_ = Position::after_value;
  return {};
}

std::string_view Document::text_of(std::uint64_t begin, std::uint64_t end) const {
  return window_.text().substr(static_cast<std::size_t>(begin - window_.offset()),
                               static_cast<std::size_t>(end - begin));
}

/// Passes the splitter's elements to `handle`, as many as possible at once.
void Document::deliver(const Handler& handle) {
  elements_ += block_.size();
  for (std::size_t i = 0; i < block_.size();) {
    const ElementState state = block_[i].state;
    if (state == ElementState::not_an_object) {
      count(FindingCode::corrupt_record_dropped, block_[i++].begin);
    } else if (state == ElementState::broken) {
      deliver_one(block_[i++], handle);
    } else {
      if (state == ElementState::repaired) count(FindingCode::json_repaired, block_[i].begin);
      std::size_t last = i + 1;
      while (last < block_.size() && block_[last].state == ElementState::clean) ++last;
      i += deliver_run(i, last, handle);
      for (; i < last; ++i) deliver_one(block_[i], handle);
    }
  }
}

/// Parses elements that are separated by single commas as one array. Returns the number of handled
/// elements.
std::size_t Document::deliver_run(std::size_t first, std::size_t last, const Handler& handle) {
  namespace ondemand = simdjson::ondemand;
  const std::string_view text = text_of(block_[first].begin, block_[last - 1].end);
  if (buffer_.size() < text.size() + 2 + simdjson::SIMDJSON_PADDING)
    buffer_.resize(text.size() + 2 + simdjson::SIMDJSON_PADDING);
  buffer_[0] = '[';
  std::copy(text.begin(), text.end(), buffer_.begin() + 1);
  buffer_[text.size() + 1] = ']';
  ondemand::document document;
  ondemand::array array;
  if (parser_.iterate(buffer_.data(), text.size() + 2, buffer_.size()).get(document) ||
      document.get_array().get(array))
    return 0;
  std::size_t done = 0;
  for (auto element : array) {
    ondemand::object object;
    if (first + done == last || element.get_object().get(object) ||
        !handle(object, block_[first + done].begin))
      break;
    ++done;
  }
  return done;
}

bool Document::parse_one(std::string_view text, std::uint64_t offset, const Handler& handle) {
  if (buffer_.size() < text.size() + simdjson::SIMDJSON_PADDING)
    buffer_.resize(text.size() + simdjson::SIMDJSON_PADDING);
  std::copy(text.begin(), text.end(), buffer_.begin());
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  return !parser_.iterate(buffer_.data(), text.size(), buffer_.size()).get(document) &&
         !document.get_object().get(object) && handle(object, offset);
}

void Document::deliver_one(const Element& element, const Handler& handle) {
  const std::string_view text = text_of(element.begin, element.end);
  if (parse_one(text, element.begin, handle)) return;
  const bool repaired =
      repair(text, repaired_text_) && parse_one(repaired_text_, element.begin, handle);
  count(repaired ? FindingCode::json_repaired : FindingCode::corrupt_record_dropped, element.begin);
}

}  // namespace orrery::trace::json
