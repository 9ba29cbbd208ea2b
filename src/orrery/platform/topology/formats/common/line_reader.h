// SPDX-License-Identifier: Apache-2.0
//
// What readers of other people's fabrics share: lines and words, numbers, and how much a short file
// may claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Goes through text line by line, whatever ends them ("\n", "\r\n"); a byte order mark is skipped.
class LineReader {
 public:
  explicit LineReader(std::string_view text);
  /// The next line, empty ones included; false at the end.
  bool next();
  /// The next line that has words and does not begin with a comment ("#", "//").
  bool next_content_line();
  [[nodiscard]] std::size_t number() const { return number_; }  ///< from 1
  [[nodiscard]] std::string_view text() const { return line_; }
  /// What blanks keep apart.
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
  std::vector<std::string_view> words_;
};

/// Text without a UTF-8 byte order mark and without blanks in front.
[[nodiscard]] std::string_view trimmed_front(std::string_view text);
/// "file:12"
[[nodiscard]] std::string at_line(const std::string& where, std::size_t line);
/// The line, from 1, of a byte.
[[nodiscard]] std::size_t line_of(std::string_view text, std::size_t offset);

/// The whole text must be the number.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);
[[nodiscard]] std::optional<double> real_number(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
/// `part`, which is in lower case, is in `text` in any case.
[[nodiscard]] bool mentions(std::string_view text, std::string_view part);
/// Any of them is.
[[nodiscard]] bool mentions_any(std::string_view text,
                                std::initializer_list<std::string_view> parts);

/// A data rate as people write it; 0 is an error, because nothing ever arrives over such a link.
/// Errc: input_corrupt, input_range.
[[nodiscard]] Result<Bandwidth> read_rate(std::string_view text, const std::string& place);
/// The same of a number in units of `unit` bytes per second.
[[nodiscard]] Result<Bandwidth> read_rate(double number, double unit, const std::string& place);
/// A delay as people write it. Errc: input_corrupt, input_range.
[[nodiscard]] Result<Time> read_delay(std::string_view text, const std::string& place);
/// The same of a number in units of `unit` picoseconds.
[[nodiscard]] Result<Time> read_delay(double number, double unit, const std::string& place);

inline constexpr double kGigabit = 1e9 / 8;  ///< bytes per second of 1 Gb/s

/// How many nodes and links a text of so many bytes may stand for; see limits::kFabricFloor.
[[nodiscard]] std::uint64_t max_parts(std::size_t bytes);
/// Errc: limit_exceeded when `parts` are more than that.
[[nodiscard]] Result<void> check_parts(std::uint64_t parts, std::size_t bytes,
                                       const std::string& where);
/// Products and sums of what files claim; they stop at the largest number instead of wrapping.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b);

}  // namespace orrery::platform
