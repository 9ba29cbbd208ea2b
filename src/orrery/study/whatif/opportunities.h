// SPDX-License-Identifier: Apache-2.0
//
// Candidate changes of a workload that are worth trying.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/workload.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// A candidate change.
struct Opportunity {
  std::string name;   ///< of the change: "kernels", "named:sgemm_128x64", "fusion"
  std::string value;  ///< of changes without a factor, "none"; else empty
  std::string kind;   ///< one of kChangeGroups
  std::string what;   ///< description
  Time time{};        ///< time of the selected nodes on the rank with the most
};

/// The kinds of changes, and the groups in which a list shows them, in this order. Kernels by
/// operation ("family"), by operator of the model, by name; then all other changes; last the
/// changes of all work of a kind, which contain others.
struct ChangeGroup {
  std::string_view title;  ///< heading of its table
  std::array<std::string_view, 5> kinds;
};
inline constexpr std::array<ChangeGroup, 5> kChangeGroups = {{
    {"kernel family", {"family"}},
    {"operator", {"operator"}},
    {"kernel", {"kernel"}},
    {"other change", {"link", "host", "wait", "rank", "plan"}},
    {"all of a kind", {"all"}},
}};
/// The index of the group of a kind.
[[nodiscard]] std::size_t group_of(std::string_view kind);

/// Candidates for recorded times: classes of work, lags, operations, kernel names with at least
/// 1/200 of the device time of their rank, process groups, and changes without a factor. O(nodes).
[[nodiscard]] std::vector<Opportunity> opportunities(const graph::Workload& workload);

/// Candidates for a simulated cluster: predicted kernels and operations, links with twice the
/// bandwidth or half the latency. Of a job (`program` not null) also its operators with at least
/// 1/200 of the kernel time of their rank, with predicted times.
[[nodiscard]] std::vector<Opportunity> cluster_opportunities(const graph::Workload& workload,
                                                             const workload::Program* program,
                                                             const Cluster& cluster);

/// Candidates for the plan of a job: each degree and the microbatch halved and doubled, other
/// recomputation, other sharding. Some are invalid, which is detected when they are tried.
[[nodiscard]] std::vector<Opportunity> plan_opportunities(const workload::Program& program);

}  // namespace orrery::study
