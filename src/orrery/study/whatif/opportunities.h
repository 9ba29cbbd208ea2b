// SPDX-License-Identifier: Apache-2.0
//
// Candidate changes of a workload that are worth trying.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/workload.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// A candidate change.
struct Opportunity {
  std::string name;   ///< of the change: "kernels", "named:sgemm_128x64", "fusion"
  std::string value;  ///< of changes without a factor, "none"; else empty
  std::string kind;   ///< "kernel", "link", "host", "wait", "rank", "plan"
  std::string what;   ///< description
  Time time{};        ///< time of the selected nodes on the rank with the most
};

/// Candidates for recorded times: classes of work, lags, operations, kernel names with at least
/// 1/200 of the device time of their rank, process groups, and changes without a factor. O(nodes).
[[nodiscard]] std::vector<Opportunity> opportunities(const graph::Workload& workload);

/// Candidates for a simulated cluster: predicted kernels and operations, links with twice the
/// bandwidth or half the latency.
[[nodiscard]] std::vector<Opportunity> cluster_opportunities(const graph::Workload& workload);

/// Candidates for the plan of a job: each degree and the microbatch halved and doubled, other
/// recomputation, other sharding. Some are invalid, which is detected when they are tried.
[[nodiscard]] std::vector<Opportunity> plan_opportunities(const workload::Program& program);

}  // namespace orrery::study
