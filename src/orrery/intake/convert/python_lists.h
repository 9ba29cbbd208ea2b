// SPDX-License-Identifier: Apache-2.0
//
// Lists as frameworks record them (JSON) and as Chakra keeps them (Python's str()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/strings.h"

namespace orrery::intake {

/// Appends `json` as Python would print it: 'text', True, False, None, ", " between elements.
/// Numbers stay as they are written. What is no JSON is kept as well as can be. Linear.
void append_python(std::string& out, std::string_view json);

/// Python texts of interned JSON texts, each made once.
class PythonTexts {
 public:
  explicit PythonTexts(const StringPool& strings) : strings_(strings) {}
  [[nodiscard]] const std::string& of(StringId id);

 private:
  const StringPool& strings_;
  std::vector<std::uint32_t> place_;  // by StringId: index + 1 in made_; 0 = not made yet
  std::deque<std::string> made_;
};

/// All arguments of an operator.
inline constexpr std::size_t kAllArguments = ~std::size_t{0};

/// Bytes of the tensors among a node's values (profile/tensors.h), or in one argument of them. -1
/// when there are none.
[[nodiscard]] std::int64_t bytes_of_values(std::string_view values, std::string_view types,
                                           std::size_t argument = kAllArguments);
/// Bytes of the tensors in a device trace's dimensions ("[[2, 3], []]") and types ("["float",
/// ""]"). -1 when there are none, or some whose width the types do not tell.
[[nodiscard]] std::int64_t bytes_of_dims(std::string_view dims, std::string_view types,
                                         std::size_t argument = kAllArguments);
/// "[1, 2, 3]" → numbers; empty when it is anything else (or cut: "[1, 2, ..., 9]").
[[nodiscard]] std::vector<std::int64_t> number_list(std::string_view text);

}  // namespace orrery::intake
