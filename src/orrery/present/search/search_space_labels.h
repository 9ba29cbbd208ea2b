// SPDX-License-Identifier: Apache-2.0
//
// Labels and tables that the answers of searches and the web page of a searched space share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/explore/explore.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "step"; "samples/s" where there are no tokens.
[[nodiscard]] std::string figure_title(explore::Figure figure, bool tokens);
/// "Which GPUs: 6 axes, 432 combinations"
[[nodiscard]] std::string space_text(const explore::SearchSpace& space);
/// "412 points: 384 fit, 240 allowed; 20 excluded by constraints"
[[nodiscard]] std::string evaluated_points_text(const explore::ExplorationResult& explored);
/// "step, cost"
[[nodiscard]] std::string objectives_text(const explore::SearchSpace& space);

/// A number of rejected points or plans, and the reason.
using Rejection = std::pair<std::uint64_t, std::string>;
/// In descending order.
[[nodiscard]] std::vector<Rejection> rejected_points(const explore::ExplorationResult& explored);
/// `memory`: the reason of those that are too large. In descending order.
[[nodiscard]] std::vector<Rejection> rejections(std::uint64_t too_large, std::string memory,
                                                std::uint64_t needs_simulation,
                                                const std::map<std::string, std::uint64_t>& illegal,
                                                std::vector<Rejection> others = {});
/// For people. `what`: "points"; `why`: "not allowed because".
void state_rejections(report::Answer& answer, std::string_view what, std::string_view why,
                      const std::vector<Rejection>& rejected);
/// For programs: an object of numbers.
void state_numbers(report::Answer& answer, std::string_view key,
                   const std::map<std::string, std::uint64_t>& numbers);
/// The values of a point's axes, as an object.
void write_coordinates(report::JsonWriter& json, const explore::SearchSpace& space,
                       std::uint64_t point);

}  // namespace orrery::present
