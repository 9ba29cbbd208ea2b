// SPDX-License-Identifier: Apache-2.0
//
// Merges several jobs into the workload of one machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// A job and its ranks of the machine.
struct JobPart {
  std::string name;  ///< without "/"; prefix of the names of its groups
  const Workload* workload = nullptr;
  std::vector<std::uint32_t> ranks;  ///< machine ranks of the job's ranks 0, 1 …; ascending
  Time start{};                      ///< its ranks are idle until then
  std::uint32_t steps = 1;           ///< consecutive repetitions of its workload, on each rank
};

/// All jobs as one workload of a machine with `ranks` ranks; ranks without a job are idle. Rank
/// numbers of a job become those of the machine ranks that run it. Collectives of all its ranks, or
/// of an unknown group, get the group `name`; other groups get the name "name/group". Ranks that
/// shared a graph still share one if the offsets to their peers are equal. Errc: usage (jobs share
/// a rank, a rank does not exist, or a job's number of ranks differs from its workload's),
/// input_range (a message or a group beyond the job's ranks), input_unsupported (collectives given
/// as traces, or along some of the machine's dimensions), limit_exceeded (too many steps). O(nodes
/// x steps of distinct graphs + ranks).
[[nodiscard]] Result<Workload> merge_jobs(std::span<const JobPart> jobs, std::uint32_t ranks,
                                          Findings& findings);

}  // namespace orrery::graph
