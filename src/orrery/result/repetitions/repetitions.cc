// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/repetitions/repetitions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "orrery/core/limits.h"

namespace orrery::result {

namespace {

constexpr std::uint64_t kLeastSaved = 8;  ///< rows; a part with fewer costs more than it saves
/// Lengths of the sequences of rows that are compared. Long ones occur again with the next
/// microbatch, short ones with the next layer.
constexpr std::array<std::size_t, 4> kWindows = {2048, 256, 32, 4};
constexpr std::size_t kPeriodsPerWindow = 2;

template <class Rows>
std::vector<std::uint64_t> hashes_of(const Rows& rows) {
  std::vector<std::uint64_t> hashes(rows.size());
  for (std::uint64_t row = 0; row < hashes.size(); ++row) hashes[row] = rows.hash(row);
  return hashes;
}

// Whether some rows of a sample are equal but for steps. The sample consists of sequences of rows,
// so that it contains rows at any distance.
template <class Rows>
bool may_repeat(const Rows& rows) {
  constexpr std::uint64_t kSequence = 512, kSequenceEvery = 4096, kShare = 32;
  constexpr int kSlotBits = 13;
  std::vector<std::uint32_t> seen(std::size_t{1} << kSlotBits);
  std::uint64_t sample = 0, equal = 0;
  for (std::uint64_t row = 0; row < rows.size(); ++row) {
    if (row % kSequenceEvery == kSequence && rows.size() > kSequenceEvery)
      row += kSequenceEvery - kSequence;
    if (row >= rows.size()) break;
    const std::uint64_t hash = rows.hash(row) * 0x9e3779b97f4a7c15;
    std::uint32_t& last = seen[hash >> (64 - kSlotBits)];
    const auto mark = static_cast<std::uint32_t>(hash) | 1;
    ++sample;
    if (last == mark) ++equal;
    last = mark;
  }
  return equal >= kLeastSaved && equal * kShare >= sample;
}

/// Finds the distances at which sequences of rows occur again.
class PeriodSearch {
 public:
  /// The most frequent distances between equal sequences of `window` rows, in ascending order.
  std::vector<std::uint64_t> find(std::span<const std::uint64_t> hashes, std::size_t window) {
    std::vector<std::uint64_t> periods;
    if (hashes.size() < 2 * window) return periods;
    count(hashes, window);
    for (std::size_t i = 0; i < kPeriodsPerWindow; ++i) {
      const auto most = std::max_element(votes_.begin(), votes_.end());
      if (*most < kLeastSaved) break;
      periods.push_back(static_cast<std::uint64_t>(most - votes_.begin()));
      *most = 0;
    }
    std::sort(periods.begin(), periods.end());
    return periods;
  }

 private:
  struct Last {
    std::uint64_t hash = 0;
    std::uint64_t end = 0;  ///< 1 + row; 0: none
  };

  // With a rolling hash, in a table that forgets some sequences: the search may miss a period.
  void count(std::span<const std::uint64_t> hashes, std::size_t window) {
    constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;
    const std::size_t slots = std::bit_ceil(std::clamp<std::size_t>(hashes.size(), 64, 1u << 14));
    const int shift = 64 - std::bit_width(slots - 1);
    last_.assign(slots, {});
    votes_.assign(hashes.size(), 0);
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < window; ++i) power *= kBase;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      hash = hash * kBase + hashes[i];
      if (i >= window) hash -= power * hashes[i - window];
      if (i + 1 < window) continue;
      Last& last = last_[(hash * kBase) >> shift];
      if (last.end > 0 && last.hash == hash) ++votes_[i + 1 - last.end];
      last = {hash, i + 1};
    }
  }

  std::vector<std::uint32_t> votes_;  ///< by distance
  std::vector<Last> last_;            ///< last occurrence, by hash
};

/// Rows that repeat those one period before them.
template <class Rows>
class Repetition {
 public:
  Repetition(const Rows& rows, std::uint64_t period, std::uint64_t end)
      : rows_(rows), period_(period), last_(end) {}

  [[nodiscard]] std::uint64_t period() const { return period_; }

  /// Number of rows from `row` + period on that repeat the period that begins at `row`. For
  /// ascending rows, O(1) per row on average.
  [[nodiscard]] std::uint64_t length(std::uint64_t row) {
    const std::uint64_t second = row + period_, third = second + period_;
    if (second >= shifted_) {
      shifted_ = second;
      if (second < last_) {
        const auto shift = rows_.shift(second, period_);
        while (shifted_ < last_ && rows_.is_shifted(shifted_, period_, shift)) ++shifted_;
      }
    }
    if (third >= shifted_) return std::max(shifted_, second) - second;
    if (third >= linear_) {
      for (linear_ = third; linear_ < shifted_ && rows_.has_equal_steps(linear_, period_);)
        ++linear_;
    }
    return linear_ - second;
  }

 private:
  const Rows& rows_;
  std::uint64_t period_;
  std::uint64_t last_;
  std::uint64_t shifted_ = 0;  ///< end of the rows with the same shift
  std::uint64_t linear_ = 0;   ///< end of the rows with the same steps
};

/// Divides rows into parts: the longest repetitions first, then shorter ones between them.
template <class Rows>
class PartFinder {
 public:
  PartFinder(Rows& rows, std::uint64_t& budget) : rows_(rows), budget_(budget) {}

  std::vector<RowPart> find() {
    const std::uint64_t size = rows_.size();
    if (may_repeat(rows_)) {
      rows_.compute_hashes();
      divide(0, size, 0);
    }
    std::sort(parts_.begin(), parts_.end(),
              [](const RowPart& a, const RowPart& b) { return a.first < b.first; });
    std::vector<RowPart> all;
    std::uint64_t begin = 0;
    const auto fill = [&](std::uint64_t end) {
      if (end > begin) all.push_back({begin, end - begin, end - begin});
    };
    for (const RowPart& part : parts_) {
      fill(part.first);
      all.push_back(part);
      begin = part.end();
    }
    fill(size);
    return all;
  }

 private:
  // Finds the repetitions from `begin` to `end` of sequences of kWindows[level] rows or fewer.
  void divide(std::uint64_t begin, std::uint64_t end, std::size_t level) {
    if (level == kWindows.size() || end - begin <= kLeastSaved) return;
    std::vector<Repetition<Rows>> candidates;
    const auto hashes = std::span(rows_.hashes()).subspan(begin, end - begin);
    for (const std::uint64_t period : search_.find(hashes, kWindows[level]))
      candidates.emplace_back(rows_, period, end);
    for (std::uint64_t row = begin; !candidates.empty() && row < end;) {
      const RowPart best = longest(candidates, row);
      if (best.rows == 0) {
        ++row;
        continue;
      }
      divide(begin, row, level + 1);
      parts_.push_back(best);
      budget_ -= best.rows - best.period;
      row = begin = best.end();
    }
    divide(begin, end, level + 1);
  }

  RowPart longest(std::vector<Repetition<Rows>>& candidates, std::uint64_t row) const {
    RowPart best{row, 0, 0};
    std::uint64_t saved = kLeastSaved - 1;
    for (Repetition<Rows>& one : candidates) {
      const std::uint64_t most =
          std::min((limits::kRunFileRepetitions - 1) * one.period(), budget_);
      const std::uint64_t length = std::min(one.length(row), most);
      if (length <= saved) continue;
      saved = length;
      best = {row, one.period() + length, one.period()};
    }
    return best;
  }

  Rows& rows_;
  std::uint64_t& budget_;
  PeriodSearch search_;
  std::vector<RowPart> parts_;
};

// SQL and the reader compute with 64 bits, so that differences must fit.
constexpr std::uint64_t kMost = std::uint64_t{1} << 62;

bool is_shifted(std::uint64_t a, std::uint64_t b, std::uint64_t step) {
  return b - a == step && (step == 0 || (a < kMost && b < kMost));
}

std::uint64_t bits(Time time) { return static_cast<std::uint64_t>(time.count()); }

bool is_null(std::uint32_t number) { return number == kNone; }
bool is_null(const std::optional<Time>& time) { return !time; }

std::uint64_t step(std::uint32_t a, std::uint32_t b) { return std::uint64_t{b} - a; }
std::uint64_t step(const std::optional<Time>& a, const std::optional<Time>& b) {
  return a && b ? bits(*b) - bits(*a) : 0;
}

/// The columns that must be equal in all periods.
bool has_equal_constants(const Span& a, const Span& b) {
  return a.end - a.start == b.end - b.start && a.lane == b.lane && a.kind == b.kind &&
         a.model == b.model && a.release == b.release && a.reason == b.reason &&
         a.critical == b.critical && a.wait == b.wait && a.queue == b.queue &&
         a.latency == b.latency && a.bytes == b.bytes && a.flops == b.flops && a.group == b.group &&
         a.distance == b.distance;
}

// A sum, because its terms do not wait for each other. Factors: digits of the golden ratio, pi and
// e.
std::uint64_t hash_constants(const Span& span) {
  const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t words = bits(span.lane) | bits(span.kind) << 16 | bits(span.model) << 24 |
                              bits(span.release) << 32 | bits(span.reason) << 40 |
                              bits(span.critical) << 48;
  const std::uint64_t peers = bits(span.group) | bits(span.distance) << 32;
  const std::uint64_t waits =
      bits(span.wait.count()) + (bits(span.queue.count()) + (bits(span.latency.count()) << 20)) * 3;
  const std::uint64_t hash = bits((span.end - span.start).count()) * 0x9e3779b97f4a7c15 +
                             (words ^ waits) * 0x243f6a8885a308d3 +
                             (peers + (bits(span.bytes.count()) << 7)) * 0xb7e151628aed2a6b +
                             bits(span.flops) * 0x13198a2e03707345;
  return hash ^ hash >> 32;
}

class SpanRows {
 public:
  explicit SpanRows(const std::vector<Span>& spans) : spans_(spans) {}

  [[nodiscard]] std::uint64_t size() const { return spans_.size(); }
  /// Of the columns that do not differ between periods.
  [[nodiscard]] std::uint64_t hash(std::uint64_t row) const { return hash_constants(spans_[row]); }
  void compute_hashes() { hashes_ = hashes_of(*this); }
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }

  struct Shift {
    std::uint64_t start, node;
  };

  /// The difference to the row one period before.
  [[nodiscard]] Shift shift(std::uint64_t row, std::uint64_t period) const {
    const Span &a = spans_[row - period], &b = spans_[row];
    return {bits(b.start) - bits(a.start), b.node - a.node};
  }

  /// Whether the row differs from the one a period before it by `shift`, and by steps of its own.
  [[nodiscard]] bool is_shifted(std::uint64_t row, std::uint64_t period, const Shift& shift) const {
    if (hashes_[row] != hashes_[row - period]) return false;
    const Span &a = spans_[row - period], &b = spans_[row];
    return result::is_shifted(bits(a.start), bits(b.start), shift.start) &&
           result::is_shifted(a.node, b.node, shift.node) &&
           is_null(a.released_by) == is_null(b.released_by) &&
           (is_null(a.released_by) || step(a.released_by, b.released_by) == period) &&
           is_null(a.slack) == is_null(b.slack) && is_null(a.peer_span) == is_null(b.peer_span) &&
           has_equal_constants(a, b);
  }

  /// Whether the steps of the row are the same as one period before.
  [[nodiscard]] bool has_equal_steps(std::uint64_t row, std::uint64_t period) const {
    const Span &a = spans_[row - 2 * period], &b = spans_[row - period], &c = spans_[row];
    return step(a.name, b.name) == step(b.name, c.name) &&
           step(a.slack, b.slack) == step(b.slack, c.slack) &&
           step(a.sequence, b.sequence) == step(b.sequence, c.sequence) &&
           step(a.peer_span, b.peer_span) == step(b.peer_span, c.peer_span);
  }

 private:
  const std::vector<Span>& spans_;
  std::vector<std::uint64_t> hashes_;
};

/// Rows that begin later by one constant, and whose spans are later by another one.
struct TimedShift {
  std::uint64_t start, span;
};

TimedShift timed_shift(Time start, std::uint32_t span, Time later, std::uint32_t later_span) {
  return {bits(later) - bits(start), is_null(span) ? 0 : step(span, later_span)};
}

bool has_shifted_span(std::uint32_t a, std::uint32_t b, std::uint64_t shift) {
  return is_null(a) ? is_null(b) : !is_null(b) && step(a, b) == shift;
}

class CollectiveRows {
 public:
  explicit CollectiveRows(std::span<const Collective> all) : all_(all) {}

  [[nodiscard]] std::uint64_t size() const { return all_.size(); }
  [[nodiscard]] std::uint64_t hash(std::uint64_t row) const {
    const Collective& one = all_[row];
    const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t hash =
        bits(one.last_start - one.first_start) * 0x9e3779b97f4a7c15 +
        (one.end ? bits(*one.end - one.first_start) : 1) * 0x243f6a8885a308d3 +
        number(one.bytes.count()) * 0xb7e151628aed2a6b +
        (number(one.last_rank) << 32 | one.predicted) * 0x13198a2e03707345 +
        std::hash<std::string>()(one.type);
    return hash ^ hash >> 32;
  }
  void compute_hashes() { hashes_ = hashes_of(*this); }
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }

  [[nodiscard]] TimedShift shift(std::uint64_t row, std::uint64_t period) const {
    const Collective &a = all_[row - period], &b = all_[row];
    return timed_shift(a.first_start, a.last_span, b.first_start, b.last_span);
  }

  [[nodiscard]] bool is_shifted(std::uint64_t row, std::uint64_t period,
                                const TimedShift& shift) const {
    if (hashes_[row] != hashes_[row - period]) return false;
    const Collective &a = all_[row - period], &b = all_[row];
    return has_shifted_times(a, b, shift.start) &&
           has_shifted_span(a.last_span, b.last_span, shift.span) && a.group == b.group &&
           a.type == b.type && is_short(a.type) && is_short(a.bound_by) && a.bytes == b.bytes &&
           a.sent == b.sent && a.joined == b.joined && a.members == b.members &&
           a.last_rank == b.last_rank && a.bound == b.bound && a.bound_by == b.bound_by &&
           a.predicted == b.predicted;
  }

  [[nodiscard]] bool has_equal_steps(std::uint64_t row, std::uint64_t period) const {
    return step(all_[row - 2 * period].name, all_[row - period].name) ==
           step(all_[row - period].name, all_[row].name);
  }

 private:
  // The reader limits the text of repeated rows.
  static bool is_short(const std::string& text) {
    return text.size() <= limits::kRunFileRepeatedName;
  }
  static bool has_shifted_times(const Collective& a, const Collective& b, std::uint64_t step) {
    if (a.end.has_value() != b.end.has_value()) return false;
    return result::is_shifted(bits(a.first_start), bits(b.first_start), step) &&
           result::is_shifted(bits(a.last_start), bits(b.last_start), step) &&
           (!a.end || result::is_shifted(bits(*a.end), bits(*b.end), step));
  }

  std::span<const Collective> all_;
  std::vector<std::uint64_t> hashes_;
};

class PathRows {
 public:
  explicit PathRows(std::span<const PathSegment> path) : path_(path) {}

  [[nodiscard]] std::uint64_t size() const { return path_.size(); }
  [[nodiscard]] std::uint64_t hash(std::uint64_t row) const {
    const PathSegment& one = path_[row];
    const auto kinds =
        static_cast<std::uint64_t>(one.cause) << 8 | static_cast<std::uint64_t>(one.release);
    const std::uint64_t hash = bits(one.end - one.start) * 0x9e3779b97f4a7c15 +
                               (std::uint64_t{one.rank} << 32 | kinds) * 0x243f6a8885a308d3;
    return hash ^ hash >> 32;
  }
  void compute_hashes() { hashes_ = hashes_of(*this); }
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }

  [[nodiscard]] TimedShift shift(std::uint64_t row, std::uint64_t period) const {
    const PathSegment &a = path_[row - period], &b = path_[row];
    return timed_shift(a.start, a.span, b.start, b.span);
  }

  [[nodiscard]] bool is_shifted(std::uint64_t row, std::uint64_t period,
                                const TimedShift& shift) const {
    const PathSegment &a = path_[row - period], &b = path_[row];
    return result::is_shifted(bits(a.start), bits(b.start), shift.start) &&
           result::is_shifted(bits(a.end), bits(b.end), shift.start) &&
           has_shifted_span(a.span, b.span, shift.span) && a.rank == b.rank && a.cause == b.cause &&
           a.release == b.release;
  }

  [[nodiscard]] bool has_equal_steps(std::uint64_t, std::uint64_t) const { return true; }

 private:
  std::span<const PathSegment> path_;
  std::vector<std::uint64_t> hashes_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number in which two different texts differ.
class TextDifference {
 public:
  TextDifference(std::string_view a, std::string_view b)
      : begin_(first_difference(a, b)), one_(number_at(a, begin_)), other_(number_at(b, begin_)) {
    is_number_ = one_.is_valid(begin_) && other_.is_valid(begin_) && one_.value != other_.value &&
                 a.substr(one_.end) == b.substr(other_.end);
  }

  /// Of the number, or of the first letter that differs.
  [[nodiscard]] static std::size_t first_difference(std::string_view a, std::string_view b) {
    const std::size_t common = std::min(a.size(), b.size());
    std::size_t begin = 0;
    for (std::uint64_t x = 0, y = 0; begin + sizeof x <= common; begin += sizeof x) {
      std::memcpy(&x, a.data() + begin, sizeof x);
      std::memcpy(&y, b.data() + begin, sizeof y);
      if (x != y) break;
    }
    while (begin < common && a[begin] == b[begin]) ++begin;
    while (begin > 0 && is_digit(a[begin - 1])) --begin;
    return begin;
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return one_.end; }
  /// Whether they differ in nothing else.
  [[nodiscard]] bool is_number() const { return is_number_; }
  /// The number in the first text.
  [[nodiscard]] std::int64_t number() const { return one_.value; }
  [[nodiscard]] std::int64_t step() const { return other_.value - one_.value; }

 private:
  static constexpr std::size_t kDigits = 15;

  struct Number {
    std::int64_t value = 0;  ///< of at most kDigits digits
    std::size_t end = 0;
    bool is_padded = false;  ///< it begins with a zero that is not its only digit

    [[nodiscard]] bool is_valid(std::size_t begin) const {
      return end > begin && end - begin <= kDigits && !is_padded;
    }
  };

  [[nodiscard]] static Number number_at(std::string_view text, std::size_t begin) {
    Number made{0, begin, false};
    for (; made.end < text.size() && is_digit(text[made.end]); ++made.end)
      if (made.end - begin < kDigits) made.value = 10 * made.value + (text[made.end] - '0');
    made.is_padded = made.end > begin + 1 && text[begin] == '0';
    return made;
  }

  std::size_t begin_;
  Number one_, other_;
  bool is_number_ = false;
};

class NameRows {
 public:
  explicit NameRows(const Names& names) : names_(names) {}

  [[nodiscard]] std::uint64_t size() const { return names_.size(); }
  [[nodiscard]] std::uint64_t hash(std::uint64_t row) const { return hash_letters(text(row)); }
  void compute_hashes() { hashes_ = hashes_of(*this); }
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }

  using Shift = std::int64_t;

  /// How much larger the number is than in the row one period before; 0: the rows do not differ in
  /// one number.
  [[nodiscard]] Shift shift(std::uint64_t row, std::uint64_t period) const {
    const std::string_view a = text(row - period), b = text(row);
    if (std::max(a.size(), b.size()) > limits::kRunFileRepeatedName) return 0;
    const TextDifference difference(a, b);
    return difference.is_number() ? difference.step() : 0;
  }

  [[nodiscard]] bool is_shifted(std::uint64_t row, std::uint64_t period, Shift shift) const {
    return shift != 0 && hashes_[row] == hashes_[row - period] && shift == this->shift(row, period);
  }

  [[nodiscard]] bool has_equal_steps(std::uint64_t row, std::uint64_t period) const {
    const std::string_view middle = text(row - period);
    return TextDifference::first_difference(text(row - 2 * period), middle) ==
           TextDifference::first_difference(middle, text(row));
  }

 private:
  // A sum, because its terms do not wait for each other.
  static std::uint64_t hash_letters(std::string_view text) {
    std::uint64_t hash = 0, letters = 0;
    for (const char c : text) {
      if (is_digit(c)) continue;
      const std::uint64_t term =
          (static_cast<unsigned char>(c) + (++letters << 8)) * 0x9e3779b97f4a7c15;
      hash += term ^ term >> 32;
    }
    return hash;
  }
  [[nodiscard]] std::string_view text(std::uint64_t row) const {
    return names_[static_cast<std::uint32_t>(row)];
  }

  const Names& names_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

NumberedText split_at_number(std::string_view text, std::string_view other) {
  const TextDifference difference(text, other);
  if (!difference.is_number()) return {text, -1, {}};
  return {text.substr(0, difference.begin()), difference.number(), text.substr(difference.end())};
}

std::vector<RowPart> find_parts(const std::vector<Span>& spans, std::uint64_t& budget) {
  SpanRows rows(spans);
  return PartFinder(rows, budget).find();
}

std::vector<RowPart> find_parts(std::span<const Collective> collectives, std::uint64_t& budget) {
  CollectiveRows rows(collectives);
  return PartFinder(rows, budget).find();
}

std::vector<RowPart> find_parts(std::span<const PathSegment> path, std::uint64_t& budget) {
  PathRows rows(path);
  return PartFinder(rows, budget).find();
}

std::vector<RowPart> find_parts(const Names& names, std::uint64_t& budget) {
  NameRows rows(names);
  return PartFinder(rows, budget).find();
}

}  // namespace orrery::result
