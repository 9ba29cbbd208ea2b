// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "orrery/config/json.h"
#include "orrery/core/error.h"

namespace orrery::workload {

/// Reads TOML (toml.io, v1.0) as JSON. Dates and times are errors. Errc: config_syntax, with the
/// line; limit_exceeded (more than 2^20 bytes or 16 levels).
[[nodiscard]] Result<config::Json> parse_toml(std::string_view text, const std::string& where);

}  // namespace orrery::workload
