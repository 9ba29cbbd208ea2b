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

#include "orrery/bench/operators.h"
#include "orrery/bench/recorded.h"
#include "orrery/bench/schema.h"

namespace orrery::bench {

/// A call as it was recorded, or as a rule would have it.
struct Call {
  std::string name;      ///< "aten::add"
  std::string overload;  ///< "Tensor"
  bool any = false;      ///< any overload is as good
  std::vector<Recorded> arguments;
  std::vector<std::string> names;  ///< of arguments, may be fewer
  std::vector<Recorded> results;

  /// The argument of that name, or null.
  [[nodiscard]] const Recorded* argument(std::string_view called) const;
};

/// True when a parameter of this type takes the value.
[[nodiscard]] bool fits(const Recorded& value, const Type& type);

inline constexpr std::uint32_t kFallback = ~std::uint32_t{0};

/// An overload that takes a call, and which recorded argument is which parameter (kFallback = none:
/// the default).
struct Match {
  const Schema* schema = nullptr;
  bool exact = false;
  bool runs = false;
  std::vector<std::uint32_t> parameters;
};

class Resolver {
 public:
  explicit Resolver(const Operators& operators) : operators_(operators) {}

  /// The best match; one that does not run only where none does. Schemas stay valid as long as the
  /// resolver.
  [[nodiscard]] std::optional<Match> match(const Call& call);
  /// True when the recorded operator is there and only calls others.
  [[nodiscard]] bool composite(std::string_view schema);

 private:
  struct Known {
    Schema schema;
    bool runs = false;
    bool composite = false;
  };
  const std::vector<Known>& known(const std::string& name);

  const Operators& operators_;
  std::map<std::string, std::vector<Known>> known_;
  std::map<std::string, bool, std::less<>> composite_;  // by the schema's text
};

}  // namespace orrery::bench
