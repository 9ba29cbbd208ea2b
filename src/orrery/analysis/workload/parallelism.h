// SPDX-License-Identifier: Apache-2.0
//
// Whom ranks communicate with: degrees of parallelism, as far as traces tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/analysis/workload/rank_structure.h"
#include "orrery/graph/workload.h"

namespace orrery::analysis {

/// What a group of ranks shares out.
enum class Axis : std::uint8_t {
  unsaid,
  tensor,   ///< reduces in layers forward
  expert,   ///< exchanges tokens in layers forward
  sharded,  ///< gathers in layers forward and reduces nothing there: sharded data (FSDP), or
            ///< context
  data      ///< 64 KiB and more in layers backward, or outside of layers only
};
[[nodiscard]] std::string_view name(Axis axis);

/// A process group of a rank, by what is done in it.
struct GroupUse {
  std::string group;              ///< as nodes call it; empty: all ranks
  std::uint32_t ranks = 0;        ///< members
  std::uint32_t stride = 0;       ///< numbers between one and the next; 0: not always the same
  std::uint64_t collectives = 0;  ///< in a step
  bool every_layer = false;       ///< at least one for every layer of every forward pass
  Axis axis = Axis::unsaid;
};

struct Parallelism {
  /// Ranks that messages outside of layers connect, the rank among them: stages of a pipeline. 1:
  /// it sends none.
  std::uint32_t stages = 1;
  /// … that messages in layers connect: context parallel.
  std::uint32_t context = 1;
  std::vector<GroupUse> groups;  ///< of more than one rank; most collectives first
};

/// Of the first rank of each distinct graph, in the order of graphs. `found`: their structures,
/// which say how many layers, passes and steps there are. O(nodes of all ranks).
[[nodiscard]] std::vector<Parallelism> parallelism(const graph::Workload& workload,
                                                   const std::vector<RankStructure>& found);

}  // namespace orrery::analysis
