// SPDX-License-Identifier: Apache-2.0
//
// Which model made the numbers.
#pragma once

#include <string_view>

#include "orrery/platform/platform.h"

namespace orrery::study {

[[nodiscard]] std::string_view name(platform::Rules rules);
[[nodiscard]] std::string_view name(platform::NetworkModelKind network);

/// In a word: "recorded", "roofline", "table", "recorded_or_roofline", "recorded_or_table",
/// "replay".
[[nodiscard]] std::string_view compute_word(const platform::Platform& platform);

}  // namespace orrery::study
