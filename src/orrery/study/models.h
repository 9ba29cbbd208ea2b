// SPDX-License-Identifier: Apache-2.0
//
// Which model made the numbers.
#pragma once

#include <string>
#include <string_view>

#include "orrery/platform/platform.h"

namespace orrery::study {

[[nodiscard]] std::string_view name(platform::Rules rules);
[[nodiscard]] std::string_view name(platform::NetworkModelKind network);

/// In words: "recorded durations", "roofline on H100-SXM" …
[[nodiscard]] std::string compute_model(const platform::Platform& platform);
/// In a word: "recorded", "roofline", "recorded_or_roofline", "replay".
[[nodiscard]] std::string_view compute_word(const platform::Platform& platform);
[[nodiscard]] std::string network_model(const platform::Platform& platform);

}  // namespace orrery::study
