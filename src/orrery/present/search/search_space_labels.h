// SPDX-License-Identifier: Apache-2.0
//
// Words that the text and the page of a searched space share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/explore/explore.h"

namespace orrery::present {

/// "step"; "samples/s" where there are no tokens.
[[nodiscard]] std::string figure_title(explore::Figure figure, bool tokens);
/// "Which GPUs: 6 axes, 432 combinations"
[[nodiscard]] std::string space_text(const explore::SearchSpace& space);
/// "412 points: 384 fit, 240 allowed; 20 refused before"
[[nodiscard]] std::string evaluated_points_text(const explore::ExplorationResult& explored);
/// "step, cost"
[[nodiscard]] std::string objectives_text(const explore::SearchSpace& space);
/// How many points are not allowed, and why; the most first.
[[nodiscard]] std::vector<std::pair<std::uint64_t, std::string>> rejected_points(
    const explore::ExplorationResult& explored);

}  // namespace orrery::present
