// SPDX-License-Identifier: Apache-2.0
//
// Where a simulated step goes, on average over devices. Each part is described once: plans, stored
// points, JSON, what a point would need to be the best, and the page follow.
#pragma once

#include <array>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/sim/rank_results.h"

namespace orrery::explore {

struct StepPart {
  std::string_view name;   ///< of a column: "exposed"
  std::string_view title;  ///< of the page: "exposed communication"
  std::string_view more;   ///< what a plan has more of: "communication"
  std::string_view less;   ///< what a point would need less of: "exposed"
  std::string_view need;   ///< the same in JSON
  std::string_view
      time_key;  ///< in JSON, without its unit; declared in report/json/quantity_keys.cc
  std::string_view share_key;  ///< the same of its share of the step; in report/json/ratio_keys.cc
  std::string_view about;
  std::string_view colour;  ///< of the page: compute, communication, memory, idle
  bool more_is_better = false;
  /// Of a rank, in a step that ends at `end`.
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
             .about = "share of the step, on average over devices; only simulations tell",
             .colour = "compute",
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
        .about = "share of the step in which devices only communicate; only simulations tell",
        .colour = "communication",
        .of = [](const sim::RankResult& rank, Time) { return rank.comm_only + rank.memory_only; }},
    StepPart{.name = "idle",
             .title = "idle",
             .more = "waiting",
             .less = "waiting",
             .need = "idle",
             .time_key = "idle",
             .share_key = "idle_share",
             .about = "share of the step in which devices do nothing: bubbles, waiting; only "
                      "simulations tell",
             .colour = "idle",
             .of = [](const sim::RankResult& rank,
                      Time end) { return rank.idle + end - rank.finish.value_or(end); }},
};

/// By part.
using PartTimes = std::array<Time, kStepParts.size()>;
using PartShares = std::array<double, kStepParts.size()>;

}  // namespace orrery::explore
