// SPDX-License-Identifier: Apache-2.0
//
// What the framework that replays can do, as far as planning asks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::bench {

/// One overload of an operator.
struct Overload {
  std::string schema;         ///< parse_schema's text
  bool runs = false;          ///< something implements it on the device of the replay
  bool is_composite = false;  ///< … but only by calling other operators
};

/// One instance answers one planning; it need not answer the same question quickly twice.
class FrameworkOperators {
 public:
  virtual ~FrameworkOperators() = default;
  FrameworkOperators() = default;
  FrameworkOperators(const FrameworkOperators&) = delete;
  FrameworkOperators& operator=(const FrameworkOperators&) = delete;

  /// All overloads of "aten::add"; none for operators that are not there.
  [[nodiscard]] virtual std::vector<Overload> overloads(std::string_view name) const = 0;
};

}  // namespace orrery::bench
