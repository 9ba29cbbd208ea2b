// SPDX-License-Identifier: Apache-2.0
//
// Infers degrees of parallelism from the communication of ranks in traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/analysis/workload/rank_structure.h"
#include "orrery/graph/workload.h"

namespace orrery::analysis {

/// What the ranks along an axis partition or replicate. The lowest kind wins if several apply.
enum class RankAxisKind : std::uint8_t {
  tensor,    ///< a group that reduces in forward layers
  context,   ///< messages in layers
  expert,    ///< a group that exchanges tokens in forward layers
  sharded,   ///< a group that gathers in forward layers and does not reduce there: sharded data
             ///< (FSDP) or context
  data,      ///< a group without collectives in forward layers, and with one of at least 64 KiB
             ///< elsewhere
  pipeline,  ///< messages outside of layers
  unsaid     ///< any other group
};
/// "tensor parallel"; "" for kinds that are not of groups.
[[nodiscard]] std::string_view name(RankAxisKind kind);

/// A process group of a rank, and its use.
struct GroupUse {
  std::string group;              ///< name in the nodes; empty: all ranks
  std::uint32_t ranks = 0;        ///< members
  std::uint32_t stride = 0;       ///< distance between consecutive ranks; 0: not constant
  std::uint64_t collectives = 0;  ///< per step
  bool every_layer = false;       ///< at least one per layer of each forward pass
  RankAxisKind axis = RankAxisKind::unsaid;
};

struct Parallelism {
  /// Ranks connected by messages outside of layers, including this rank: pipeline stages. 1: it
  /// sends no such messages.
  std::uint32_t stages = 1;
  /// Ranks connected by messages in layers: context parallel.
  std::uint32_t context = 1;
  std::vector<GroupUse> groups;  ///< groups with more than one rank; most collectives first
};

/// communications() of each graph.
using GraphCommunications = std::vector<std::vector<Communication>>;
[[nodiscard]] GraphCommunications graph_communications(const graph::Workload& workload);

/// By rank: the leader of the ranks that messages connect it with, in layers or outside of them
/// (graph::pipeline_leaders).
[[nodiscard]] std::vector<std::uint32_t> message_leaders(const graph::Workload& workload,
                                                         const GraphCommunications& all,
                                                         bool in_layers);

/// For the first rank of each distinct graph, in the order of graphs. `found`: their structures,
/// which contain the number of layers, passes and steps. O(nodes of all ranks).
[[nodiscard]] std::vector<Parallelism> parallelism(const graph::Workload& workload,
                                                   const std::vector<RankStructure>& found);

}  // namespace orrery::analysis
