// SPDX-License-Identifier: Apache-2.0
//
// From what was recorded to what can be called: by name and overload, then by another overload that
// takes the same arguments.
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

/// A call as it was recorded, or as a rule would have it.
struct Call {
  std::string name;      ///< "aten::add"
  std::string overload;  ///< "Tensor"
  bool any = false;      ///< any overload is as good
  std::vector<RecordedValue> arguments;
  std::vector<std::string> names;  ///< of arguments, may be fewer
  std::vector<RecordedValue> results;

  /// The argument of that name, or null.
  [[nodiscard]] const RecordedValue* argument(std::string_view called) const;
};

/// True when a parameter of this type takes the value.
[[nodiscard]] bool fits(const RecordedValue& value, const ParameterType& type);

inline constexpr std::uint32_t kFallback = ~std::uint32_t{0};

/// An overload that takes a call, and which recorded argument is which parameter (kFallback = none:
/// the default).
struct Match {
  const OperatorSchema* schema = nullptr;
  bool exact = false;
  bool runs = false;
  std::vector<std::uint32_t> parameters;
};

class Resolver {
 public:
  explicit Resolver(const FrameworkOperators& operators) : operators_(operators) {}

  /// The best match; one that does not run only where none does. Schemas stay valid as long as the
  /// resolver.
  [[nodiscard]] std::optional<Match> match(const Call& call);
  /// True when the recorded operator is there and only calls others.
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
  std::map<std::string, bool, std::less<>> composite_;  // by the schema's text
};

}  // namespace orrery::bench
