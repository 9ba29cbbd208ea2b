// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the lines of fitted kernel time files.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

/// Appends the checksum of `lines`.
[[nodiscard]] std::string with_checksum(std::string lines);
/// Checks that the last line is the checksum of all previous bytes. Errc: input_truncated,
/// input_corrupt.
[[nodiscard]] Result<void> check_checksum(std::string_view all, std::string_view where);

/// Appends `notes` as comments, line by line.
void put_notes(std::string& out, std::string_view notes);
/// Appends a line with `name` and the numbers, as append_cuts() writes them.
void put_floats(std::string& out, std::string_view name, std::span<const float> values);
void put_holdout(std::string& out, std::string_view name, const HoldoutError& held);
void put_signature(std::string& out, const DeviceSignature& device);
/// Appends lines such as "size 0 1 4096".
void put_sizes(std::string& out, const std::array<std::int64_t, graph::kKernelSizes>& lower,
               const std::array<std::int64_t, graph::kKernelSizes>& upper);

template <class Number>
[[nodiscard]] bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Removes the text up to the next space from `line` and returns it.
[[nodiscard]] std::string_view next_token(std::string_view& line);

/// Reads the number after "key=", which must be the next word.
template <class Number>
[[nodiscard]] bool keyed_number(std::string_view& line, std::string_view key, Number& value) {
  const std::string_view word = next_token(line);
  return word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=' &&
         read_number(word.substr(key.size() + 1), value);
}

/// Reads such a file line by line. The text must outlive this object.
class ModelFileReader {
 public:
  ModelFileReader(std::string_view text, std::string_view where)
      : all_(text), text_(text), where_(where) {}

  [[nodiscard]] bool done() const { return text_.empty(); }
  /// Returns the next line and advances.
  std::string_view take();
  /// "FILE:line 7" for the last line that take() returned.
  [[nodiscard]] std::string place() const;
  /// An error with Errc::input_corrupt at place().
  [[nodiscard]] tl::unexpected<Error> wrong(std::string what) const;

  /// Takes the first line, "MAGIC VERSION". `what` describes the file in errors. Errc:
  /// input_corrupt, input_unsupported (another version).
  [[nodiscard]] Result<void> take_header(std::string_view magic, int version,
                                         std::string_view what);
  /// Reads all sections up to the checksum. The first line of a section begins with `word`; `read`
  /// gets the rest of this line and takes the others. `what`: a section in errors.
  template <class Section, class Read>
  [[nodiscard]] Result<std::vector<Section>> read_sections(std::string_view word,
                                                           const std::string& what,
                                                           std::size_t max_sections, Read read) {
    std::vector<Section> sections;
    while (!done()) {
      std::string_view line = take();
      if (line.starts_with('#')) continue;
      const std::string_view first = next_token(line);
      if (first == "sum") break;
      if (first != word || sections.size() >= max_sections)
        return wrong("neither a " + what + " nor the checksum at the end");
      Result<Section> section = read(line);
      if (!section) return tl::unexpected(std::move(section.error()));
      sections.push_back(*std::move(section));
    }
    return sections;
  }
  /// check_checksum() for the complete file.
  [[nodiscard]] Result<void> check_file_checksum() const { return check_checksum(all_, where_); }
  /// Parses "gemm_bf16 rows=7", the text after the first word of a line. Errc: input_corrupt,
  /// input_unsupported (an unknown class).
  [[nodiscard]] Result<void> read_class(std::string_view line, KernelClass& kernels,
                                        std::int64_t& rows) const;

 private:
  std::string_view all_;
  std::string_view text_;  // remaining lines
  std::string_view where_;
  std::size_t line_ = 0;
};

// Parse the text after the first word of a line. False: the text has another form.
/// Exactly as many numbers as `out` has.
[[nodiscard]] bool read_floats(std::string_view line, std::span<float> out);
[[nodiscard]] bool read_holdout(std::string_view line, HoldoutError& held);
[[nodiscard]] bool read_signature(std::string_view line, DeviceSignature& device);
[[nodiscard]] bool read_sizes(std::string_view line,
                              std::array<std::int64_t, graph::kKernelSizes>& lower,
                              std::array<std::int64_t, graph::kKernelSizes>& upper);

}  // namespace orrery::model
