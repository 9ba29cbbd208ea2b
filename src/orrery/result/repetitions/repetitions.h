// SPDX-License-Identifier: Apache-2.0
//
// Finds repeated rows of tables: iterations of a loop, microbatches, layers. A run file stores them
// once, with their count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::result {

/// Consecutive rows of a table. The file stores the first `period` of them; row i + k × period is
/// row i plus k times the steps of this row and of the part. The last period may be incomplete.
struct RowPart {
  std::uint64_t first = 0;  ///< row
  std::uint64_t rows = 0;
  std::uint64_t period = 0;

  [[nodiscard]] std::uint64_t end() const { return first + rows; }
  /// Whether the part contains the row one period after `row`.
  [[nodiscard]] bool repeats(std::uint64_t row) const { return row + period < end(); }
  [[nodiscard]] std::uint64_t repetitions() const { return (rows + period - 1) / period; }

  friend bool operator==(const RowPart&, const RowPart&) = default;
};

/// The parts of the spans of a timeline, in order and without gaps. In a part,
/// - each period has the same node ids and start times as the period before, plus a constant;
/// - a span is released by the span one period later than the one that released its predecessor;
/// - name, slack, sequence and peer span increase by a step that depends on the row only;
/// - all else is equal.
/// The result depends only on the spans. `budget`: rows that the file may leave out; decreases by
/// those that these parts leave out. O(spans).
[[nodiscard]] std::vector<RowPart> find_parts(const std::vector<Span>& spans,
                                              std::uint64_t& budget);
/// The parts of names. In a part, each period has the same names as the period before, except for
/// one number in each name, to which the part adds a constant.
[[nodiscard]] std::vector<RowPart> find_parts(const Names& names, std::uint64_t& budget);

/// The parts of collectives. In a part, each period has the same times and last spans as the period
/// before, plus a constant; the name increases by a step that depends on the row only; all else is
/// equal.
[[nodiscard]] std::vector<RowPart> find_parts(std::span<const Collective> collectives,
                                              std::uint64_t& budget);
/// The parts of the critical path. In a part, each period has the same times and spans as the
/// period before, plus a constant; all else is equal.
[[nodiscard]] std::vector<RowPart> find_parts(std::span<const PathSegment> path,
                                              std::uint64_t& budget);

/// A text that contains a number.
struct NumberedText {
  std::string_view before;
  std::int64_t number = -1;  ///< -1: the text has no number, and `after` is empty
  std::string_view after;
};

/// Splits `text` at the number in which it differs from `other`; `number` is -1 if it does not
/// differ in exactly one number. Numbers have at most 15 digits and no leading zeros.
[[nodiscard]] NumberedText split_at_number(std::string_view text, std::string_view other);

}  // namespace orrery::result
