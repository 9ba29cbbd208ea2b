// SPDX-License-Identifier: Apache-2.0
//
// Several jobs on one machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// A job among others.
struct JobPart {
  std::string name;  ///< without "/"; what its groups' names begin with
  const Workload* workload = nullptr;
  std::vector<std::uint32_t> ranks;  ///< of the machine, ascending: where its ranks 0, 1 … sit
  Time start{};                      ///< until then its ranks do nothing
  std::uint32_t steps = 1;           ///< so many times its workload, rank by rank one after another
};

/// All jobs as one workload of a machine with so many ranks; those that no job has do nothing.
/// Whatever ranks of a job say of ranks is said of those that they sit on, and collectives of all
/// its ranks, or of a group that nobody knows, are of the group called `name`; other groups are
/// called "name/group". Ranks that shared a graph still do, where they send equally far.
/// Errc: usage (jobs that share a rank, a rank that the machine has not, another number of ranks
/// than the workload's), input_range (a message or a group beyond the job's ranks),
/// input_unsupported (collectives given as traces, or along some of the machine's dimensions),
/// limit_exceeded (too many steps). O(nodes x steps of distinct graphs + ranks).
[[nodiscard]] Result<Workload> merge_jobs(std::span<const JobPart> jobs, std::uint32_t ranks,
                                          Findings& findings);

}  // namespace orrery::graph
