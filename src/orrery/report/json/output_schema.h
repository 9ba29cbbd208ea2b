// SPDX-License-Identifier: Apache-2.0
//
// JSON Schemas of what commands print with --json, from the table of names (json_keys.h).
#pragma once

#include <string>
#include <string_view>

namespace orrery::report {

/// Of one command's output, or of every command's where `command` is empty.
[[nodiscard]] std::string output_schema(std::string_view command);

}  // namespace orrery::report
