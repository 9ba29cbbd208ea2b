// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace orrery::trace::json {

/// Decodes the escapes in the content of a JSON string. An unpaired surrogate becomes U+FFFD; an
/// unknown escape stays unchanged.
void unescape(std::string_view content, std::string& out);

}  // namespace orrery::trace::json
