// SPDX-License-Identifier: Apache-2.0
//
// What a group asks of a fabric. Private to bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// Of one group.
struct GroupDemand {
  graph::CollectiveType type;
  std::int64_t bytes;
  std::int64_t shard;  ///< of one rank: the whole bytes of them that each surely has
  std::int64_t ranks;
  NodeIndex root;
  graph::ExpertExchange exchange;
  std::vector<NodeIndex> members;
};

/// Whether anything is known of it.
[[nodiscard]] bool is_bounded(graph::CollectiveType type);

/// What has to leave a set with `inside` of the ranks, in bytes; see bounds.h.
[[nodiscard]] double bytes_leaving(const GroupDemand& asked, std::int64_t inside, bool root_inside);

}  // namespace orrery::synthesis
