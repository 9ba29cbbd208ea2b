// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace orrery::trace::json {

/// Repairs common errors in a JSON value: control characters, broken UTF-8 and unknown escapes
/// inside strings; NaN, Infinity, None, True, False outside; extra commas. Returns false if it
/// finds no such error.
[[nodiscard]] bool repair(std::string_view value, std::string& out);

}  // namespace orrery::trace::json
