// SPDX-License-Identifier: Apache-2.0
//
// The operators of the framework that replays, as far as the planner needs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::bench {

/// One overload of an operator.
struct Overload {
  std::string schema;         ///< text for parse_schema
  bool runs = false;          ///< whether the replay device has an implementation
  bool is_composite = false;  ///< whether that implementation only calls other operators
};

/// Used by one planning at a time. Repeated queries may be slow: the planner caches answers.
class FrameworkOperators {
 public:
  virtual ~FrameworkOperators() = default;
  FrameworkOperators() = default;
  FrameworkOperators(const FrameworkOperators&) = delete;
  FrameworkOperators& operator=(const FrameworkOperators&) = delete;

  /// All overloads of "aten::add"; empty if the operator does not exist.
  [[nodiscard]] virtual std::vector<Overload> overloads(std::string_view name) const = 0;
};

}  // namespace orrery::bench
