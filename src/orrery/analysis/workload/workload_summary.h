// SPDX-License-Identifier: Apache-2.0
//
// Summarizes a workload without simulating it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/analysis/workload/longest_chain.h"
#include "orrery/graph/workload.h"

namespace orrery::analysis {

/// Counts over nodes. Sums saturate instead of overflowing.
struct NodeCounts {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::array<std::uint64_t, 8> kinds{};  ///< by graph::NodeKind
  std::uint64_t cpu_nodes = 0;
  std::uint64_t flops = 0;          ///< num_ops of compute nodes, as stated in the trace
  std::uint64_t compute_bytes = 0;  ///< tensor_size of compute nodes
  std::uint64_t memory_bytes = 0;   ///< tensor_size of memory nodes
  std::uint64_t comm_bytes = 0;     ///< complete buffers of collectives, sizes of sends
  Time recorded{};                  ///< durations of compute nodes that are not on the CPU
  Time recorded_cpu{};              ///< durations of CPU nodes
};

/// Ranks with identical graphs.
struct Part {
  std::vector<std::uint32_t> ranks;  ///< ascending
  NodeCounts contents;               ///< of one of them
  LongestChain chain;
};

/// One (operation, process group) over all ranks. Sends and receives have group "".
struct Traffic {
  std::string type;              ///< "all_reduce", … "send", "recv"
  std::string group;             ///< the group's name; "" = all ranks
  std::uint32_t group_size = 0;  ///< 2 for sends and receives; 0: the group is not defined
  std::uint64_t operations = 0;  ///< nodes, over all ranks
  std::uint64_t bytes = 0;       ///< complete buffers (graph::whole_buffer), over all ranks
};

struct WorkloadSummary {
  std::uint32_t ranks = 0;
  NodeCounts total;              ///< over all ranks
  std::vector<Part> parts;       ///< by first rank
  std::vector<Traffic> traffic;  ///< by type, group size, group name
};

[[nodiscard]] WorkloadSummary summarize(const graph::Workload& workload);

/// Merges the groups of equal size (their name becomes ""), for narrow tables.
[[nodiscard]] std::vector<Traffic> by_group_size(const std::vector<Traffic>& traffic);

}  // namespace orrery::analysis
