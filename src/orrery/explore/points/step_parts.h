// SPDX-License-Identifier: Apache-2.0
//
// Parts of a simulated step, mean over devices. Each part is described once; plans, stored points,
// JSON, break-even conditions and the page use this table.
#pragma once

#include <array>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/sim/rank_results.h"

namespace orrery::explore {

struct StepPart {
  std::string_view name;   ///< column name: "exposed"
  std::string_view title;  ///< title on the page: "exposed communication"
  std::string_view more;   ///< label of a plan with more of it: "communication"
  std::string_view less;   ///< label of a point that needs less of it: "exposed"
  std::string_view need;   ///< `less` in JSON
  /// JSON key of the time, without its unit; declared in report/json/quantity_keys.cc.
  std::string_view time_key;
  /// JSON key of its share of the step; declared in report/json/ratio_keys.cc.
  std::string_view share_key;
  std::string_view about;
  std::string_view color;  ///< color on the page: compute, communication, memory, idle
  bool more_is_better = false;
  /// Time of a rank in this part, in a step that ends at `end`.
  Time (*of)(const sim::RankResult& rank, Time end);
};

inline constexpr std::array kStepParts{
    StepPart{.name = "compute",
             .title = "computing",
             .more = "computing",
             .less = "computing",
             .need = "computing",
             .time_key = "compute",
             .share_key = "compute_share",
             .about = "share of the step, mean over devices; known only from simulations",
             .color = "compute",
             .more_is_better = true,
             .of = [](const sim::RankResult& rank, Time) { return rank.compute; }},
    StepPart{
        .name = "exposed",
        .title = "exposed communication",
        .more = "communication",
        .less = "exposed",
        .need = "exposed",
        .time_key = "exposed_comm",
        .share_key = "exposed_comm_share",
        .about = "share of the step in which devices only communicate; known only from simulations",
        .color = "communication",
        .of = [](const sim::RankResult& rank, Time) { return rank.comm_only + rank.memory_only; }},
    StepPart{.name = "idle",
             .title = "idle",
             .more = "waiting",
             .less = "waiting",
             .need = "idle",
             .time_key = "idle",
             .share_key = "idle_share",
             .about = "share of the step in which devices are idle: bubbles, waiting; known only "
                      "from simulations",
             .color = "idle",
             .of = [](const sim::RankResult& rank,
                      Time end) { return rank.idle + end - rank.finish.value_or(end); }},
};

/// By part.
using PartTimes = std::array<Time, kStepParts.size()>;
using PartShares = std::array<double, kStepParts.size()>;

}  // namespace orrery::explore
