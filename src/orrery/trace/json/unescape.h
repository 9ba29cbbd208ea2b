// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace orrery::trace::json {

/// A JSON string's content without escapes; unpaired surrogates and unknown escapes stay visible.
void unescape(std::string_view content, std::string& out);

}  // namespace orrery::trace::json
