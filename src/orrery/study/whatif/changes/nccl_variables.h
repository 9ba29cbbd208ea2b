// SPDX-License-Identifier: Apache-2.0
//
// NCCL's environment variables: what they do, and which of them its model represents. What-ifs,
// completion and docs/reference/nccl-variables.md derive from this table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

struct NcclVariable;

/// A value of a variable, and its place in errors.
struct NcclValue {
  const NcclVariable& variable;
  const std::string& value;
  const std::string& where;
};

/// One environment variable of NCCL.
struct NcclVariable {
  std::string_view name;     ///< "NCCL_ALGO"
  std::string_view values;   ///< accepted values, in words
  std::string_view usual;    ///< NCCL's default as a value; empty: unset, or it depends
  std::string_view meaning;  ///< "algorithms that NCCL may use"
  std::string_view effect;   ///< in the model; empty if not represented
  std::string_view missing;  ///< if not represented: "the rate of TCP sockets"
  /// Changes the settings of the library; null: the model does not represent the variable. Errc:
  /// usage (a value that NCCL does not accept).
  Result<void> (*set)(const NcclValue& given, platform::LibrarySettings& settings) = nullptr;

  [[nodiscard]] constexpr bool is_represented() const { return set != nullptr; }
};

/// All known variables, those that the model represents first. Source: NVIDIA/nccl,
/// docs/userguide/source/env.rst (user guide, "Environment Variables"), 2.30 to 2.32.
[[nodiscard]] std::span<const NcclVariable> nccl_variables();

/// The variable of this name; case does not matter. Null: not known.
[[nodiscard]] const NcclVariable* find_nccl_variable(std::string_view name);

/// Whether a name is meant as a variable of NCCL: it begins with "NCCL_" in any case.
[[nodiscard]] bool is_nccl_variable(std::string_view name);

/// Names of the variables that the model represents.
[[nodiscard]] std::vector<std::string_view> represented_nccl_variables();

/// Sets a variable. A variable that the model does not represent accepts only NCCL's default, which
/// changes nothing. `where`: the place in errors. Errc: usage (unknown names, values that NCCL does
/// not accept), config_conflict (variables that the model does not represent).
[[nodiscard]] Result<void> set_nccl_variable(std::string_view name, const std::string& value,
                                             const std::string& where,
                                             platform::LibrarySettings& settings);

/// The page docs/reference/nccl-variables.md.
[[nodiscard]] std::string nccl_variables_reference();

}  // namespace orrery::study
