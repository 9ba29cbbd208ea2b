// SPDX-License-Identifier: Apache-2.0
//
// What could be better in a workload: single changes that are worth trying.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/workload.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// One of them.
struct Opportunity {
  std::string name;   ///< of the change: "kernels", "named:sgemm_128x64", "overlap"
  std::string value;  ///< of changes without a factor: "none"; else empty
  std::string kind;   ///< "kernel", "link", "host", "wait", "rank", "overlap"
  std::string what;   ///< in words
  Time time{};        ///< of what it selects, on the rank that has most of it
};

/// All classes of time that are there, operations, process groups, and the kernels (by name) that
/// take a two-hundredth of their rank's device time or more; then what is no factor. O(nodes).
[[nodiscard]] std::vector<Opportunity> opportunities(const graph::Workload& workload);

/// … of what a cluster simulates: kernels that models tell, and links, twice as quick.
[[nodiscard]] std::vector<Opportunity> cluster_opportunities(const graph::Workload& workload);

/// … plans beside a job's own: each degree and the microbatch halved and doubled, other
/// recomputation, other sharding. Some break a rule, and are found out to when they are tried.
[[nodiscard]] std::vector<Opportunity> plan_opportunities(const workload::Program& program);

}  // namespace orrery::study
