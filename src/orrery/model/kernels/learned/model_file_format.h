// SPDX-License-Identifier: Apache-2.0
//
// Words of the lines that files of fitted kernel times are made of.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "orrery/core/error.h"
#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

/// The lines of such a file, their sum behind them.
[[nodiscard]] std::string with_checksum(std::string lines);
/// The last line holds the sum of all bytes before it. Errc: input_truncated, input_corrupt.
[[nodiscard]] Result<void> check_checksum(std::string_view all, std::string_view where);

/// `notes` as comments, a line each.
void put_notes(std::string& out, std::string_view notes);
void put_holdout(std::string& out, std::string_view name, const HoldoutError& held);
void put_signature(std::string& out, const DeviceSignature& device);
/// "size 0 1 4096" and so on.
void put_sizes(std::string& out, const std::array<std::int64_t, graph::kKernelSizes>& lower,
               const std::array<std::int64_t, graph::kKernelSizes>& upper);

template <class Number>
[[nodiscard]] bool parse_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// The text up to the next space, taken off.
[[nodiscard]] std::string_view next_token(std::string_view& line);

/// The number behind "key=", which has to be the next word.
template <class Number>
[[nodiscard]] bool keyed_number(std::string_view& line, std::string_view key, Number& value) {
  const std::string_view word = next_token(line);
  return word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=' &&
         parse_number(word.substr(key.size() + 1), value);
}

/// Such a file, line by line. It outlives this.
class ModelFileReader {
 public:
  ModelFileReader(std::string_view text, std::string_view where)
      : all_(text), text_(text), where_(where) {}

  [[nodiscard]] bool done() const { return text_.empty(); }
  /// The next line, taken off.
  std::string_view take();
  /// "FILE:line 7", of the line taken last.
  [[nodiscard]] std::string place() const;
  /// Errc::input_corrupt, at that line.
  [[nodiscard]] tl::unexpected<Error> wrong(std::string what) const;

  /// Takes the first line: "MAGIC VERSION", or `what` is not there. Errc: input_corrupt,
  /// input_unsupported (another version).
  [[nodiscard]] Result<void> take_header(std::string_view magic, int version,
                                         std::string_view what);
  /// check_checksum of the whole file.
  [[nodiscard]] Result<void> check_file_checksum() const { return check_checksum(all_, where_); }
  /// "gemm_bf16 rows=7" behind a line's first word. Errc: input_corrupt, input_unsupported (an
  /// unknown class).
  [[nodiscard]] Result<void> read_class(std::string_view line, KernelClass& kernels,
                                        std::int64_t& rows) const;

 private:
  std::string_view all_;
  std::string_view text_;  // what was not taken yet
  std::string_view where_;
  std::size_t line_ = 0;
};

// What stands behind the first word of a line; false where it is something else.
[[nodiscard]] bool read_holdout(std::string_view line, HoldoutError& held);
[[nodiscard]] bool read_signature(std::string_view line, DeviceSignature& device);
[[nodiscard]] bool read_sizes(std::string_view line,
                              std::array<std::int64_t, graph::kKernelSizes>& lower,
                              std::array<std::int64_t, graph::kKernelSizes>& upper);

}  // namespace orrery::model
