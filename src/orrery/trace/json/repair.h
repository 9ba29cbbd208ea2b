// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace orrery::trace::json {

/// A JSON value with what writers commonly get wrong put right: control characters, broken UTF-8
/// and unknown escapes inside strings; NaN, Infinity, None, True, False outside; commas too many.
/// False if there was nothing of the kind.
[[nodiscard]] bool repair(std::string_view value, std::string& out);

}  // namespace orrery::trace::json
