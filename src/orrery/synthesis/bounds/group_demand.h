// SPDX-License-Identifier: Apache-2.0
//
// The communication demand of a group. Private to bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// The demand of one group.
struct GroupDemand {
  graph::CollectiveType type;
  std::int64_t bytes;
  std::int64_t shard;  ///< guaranteed bytes of one rank's shard, rounded down
  std::int64_t ranks;
  NodeIndex root;
  graph::ExpertExchange exchange;
  std::vector<NodeIndex> members;
};

/// Whether a lower bound for this collective is known.
[[nodiscard]] bool is_bounded(graph::CollectiveType type);

/// Minimum bytes that leave a set with `inside` of the ranks; see bounds.h.
[[nodiscard]] double bytes_leaving(const GroupDemand& demand, std::int64_t inside,
                                   bool root_inside);

}  // namespace orrery::synthesis
