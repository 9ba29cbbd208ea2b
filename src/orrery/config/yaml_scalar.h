// SPDX-License-Identifier: Apache-2.0
//
// The type of a plain scalar in YAML.
#pragma once

#include <string>

#include "orrery/config/json_types.h"

namespace orrery::config {

/// A plain scalar by the YAML 1.2 core schema (10.3.2). `.inf` and `.nan` stay text: no
/// configuration value can be either.
[[nodiscard]] Json typed_scalar(const std::string& text);

}  // namespace orrery::config
