// SPDX-License-Identifier: Apache-2.0
//
// Whom ranks communicate with: degrees of parallelism, as far as traces tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/analysis/structure.h"
#include "orrery/graph/workload.h"

namespace orrery::analysis {

/// A process group of a rank, by what is done in it.
struct GroupUse {
  std::string group;              ///< as nodes call it; empty: all ranks
  std::uint32_t ranks = 0;        ///< members
  std::uint32_t apart = 0;        ///< numbers between one and the next; 0: not always the same
  std::uint64_t collectives = 0;  ///< in a step
  bool every_layer = false;       ///< at least one for every layer of every forward pass
};

struct Parallelism {
  /// Ranks that messages connect, the rank among them: stages of a pipeline. 1: it sends none.
  std::uint32_t stages = 1;
  std::vector<GroupUse> groups;  ///< of more than one rank; most collectives first
};

/// Of one rank. `found`: its structure, which says how many layers, passes and steps there are.
/// O(nodes of all distinct graphs, and ranks that send).
[[nodiscard]] Parallelism parallelism(const graph::Workload& workload, std::uint32_t rank,
                                      const RankStructure& found);

}  // namespace orrery::analysis
