// SPDX-License-Identifier: Apache-2.0
//
// Lines, words and numbers of other tools' fabric files, and limits on the size that a file can
// declare.
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

/// Reads text line by line ("\n" or "\r\n"); skips a byte order mark.
class LineReader {
 public:
  explicit LineReader(std::string_view text);
  /// The next line, empty ones included; false at the end.
  bool next();
  /// The next line that has words and does not begin with a comment ("#", "//").
  bool next_content_line();
  [[nodiscard]] std::size_t number() const { return number_; }  ///< from 1
  [[nodiscard]] std::string_view text() const { return line_; }
  /// The words of the line, separated by blanks.
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
/// Whether `text` contains `part` (in lower case), ignoring case.
[[nodiscard]] bool mentions(std::string_view text, std::string_view part);
/// Whether it contains any of `parts`.
[[nodiscard]] bool mentions_any(std::string_view text,
                                std::initializer_list<std::string_view> parts);

/// Parses a data rate; 0 is an error, because no message would ever arrive. Errc: input_corrupt,
/// input_range.
[[nodiscard]] Result<Bandwidth> read_rate(std::string_view text, const std::string& place);
/// The same for a number in units of `unit` bytes per second.
[[nodiscard]] Result<Bandwidth> read_rate(double number, double unit, const std::string& place);
/// Parses a delay. Errc: input_corrupt, input_range.
[[nodiscard]] Result<Time> read_delay(std::string_view text, const std::string& place);
/// The same for a number in units of `unit` picoseconds.
[[nodiscard]] Result<Time> read_delay(double number, double unit, const std::string& place);

inline constexpr double kGigabit = 1e9 / 8;  ///< bytes per second of 1 Gb/s

/// The maximum number of nodes and links that a file of this size can declare; see
/// limits::kFabricBaseParts.
[[nodiscard]] std::uint64_t max_parts(std::size_t bytes);
/// Errc: limit_exceeded if `parts` exceeds it.
[[nodiscard]] Result<void> check_parts(std::uint64_t parts, std::size_t bytes,
                                       const std::string& where);
/// Products and sums of declared numbers; they saturate instead of wrapping around.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b);

}  // namespace orrery::platform
