// SPDX-License-Identifier: Apache-2.0
//
// Converts lists from JSON (as frameworks record them) to Python's str() (as Chakra stores them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/strings.h"

namespace orrery::intake {

/// Appends `json` in Python's syntax: 'text', True, False, None, ", " between elements. Numbers
/// stay unchanged. Text that is not JSON is copied as far as possible. Linear time.
void append_python(std::string& out, std::string_view json);

/// Python texts of interned JSON texts; converts each once.
class PythonTexts {
 public:
  explicit PythonTexts(const StringPool& strings) : strings_(strings) {}
  [[nodiscard]] const std::string& of(StringId id);

 private:
  const StringPool& strings_;
  std::vector<std::uint32_t> place_;  // by StringId: index + 1 in texts_; 0: not converted yet
  std::deque<std::string> texts_;
};

/// All arguments of an operator.
inline constexpr std::size_t kAllArguments = ~std::size_t{0};

/// Total bytes of the tensors among a node's values (profile/tensors.h), or in one argument. -1 if
/// there are none.
[[nodiscard]] std::int64_t bytes_of_values(std::string_view values, std::string_view types,
                                           std::size_t argument = kAllArguments);
/// Total bytes of the tensors given by a device trace's dimensions ("[[2, 3], []]") and types
/// ("["float", ""]"). -1 if there are none, or if the width of a type is unknown.
[[nodiscard]] std::int64_t bytes_of_dims(std::string_view dims, std::string_view types,
                                         std::size_t argument = kAllArguments);
/// "[1, 2, 3]" → numbers; empty for any other text (also if cut: "[1, 2, ..., 9]").
[[nodiscard]] std::vector<std::int64_t> number_list(std::string_view text);

}  // namespace orrery::intake
