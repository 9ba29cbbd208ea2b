// SPDX-License-Identifier: Apache-2.0
//
// Finds the overload for a recorded call: by name and overload, else another overload that accepts
// the same arguments.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/operators/framework_operators.h"
#include "addons/bench/operators/operator_schema.h"
#include "addons/bench/recording/recorded_value.h"

namespace orrery::bench {

/// A call, as recorded or as constructed by a rule.
struct Call {
  std::string name;      ///< "aten::add"
  std::string overload;  ///< "Tensor"
  bool any = false;      ///< whether any overload is acceptable
  std::vector<RecordedValue> arguments;
  std::vector<std::string> names;  ///< names of the arguments; there may be fewer than arguments
  std::vector<RecordedValue> results;

  /// The argument with this name, or null.
  [[nodiscard]] const RecordedValue* argument(std::string_view called) const;
};

/// Whether a parameter of this type accepts the value.
[[nodiscard]] bool fits(const RecordedValue& value, const ParameterType& type);

inline constexpr std::uint32_t kFallback = ~std::uint32_t{0};

/// An overload that accepts a call, and for each parameter the recorded argument (kFallback: the
/// default value).
struct Match {
  const OperatorSchema* schema = nullptr;
  bool exact = false;
  bool runs = false;
  std::vector<std::uint32_t> parameters;
};

class Resolver {
 public:
  explicit Resolver(const FrameworkOperators& operators) : operators_(operators) {}

  /// The best match. It returns one without an implementation only if no other matches. Schemas are
  /// valid as long as the resolver.
  [[nodiscard]] std::optional<Match> match(const Call& call);
  /// Whether the recorded operator exists and only calls other operators.
  [[nodiscard]] bool is_composite(std::string_view schema);

 private:
  struct Known {
    OperatorSchema schema;
    bool runs = false;
    bool is_composite = false;
  };
  const std::vector<Known>& known(const std::string& name);

  const FrameworkOperators& operators_;
  std::map<std::string, std::vector<Known>> known_;
  std::map<std::string, bool, std::less<>> composite_;  // by text of the schema
};

}  // namespace orrery::bench
