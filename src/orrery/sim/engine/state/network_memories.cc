// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/network_memories.h"

namespace orrery::sim {

std::vector<model::EndPoint> memories_of(const platform::RemoteMemory& memory,
                                         const model::Network& network, std::uint32_t rank) {
  const model::EndPoints& ends = network.end_points();
  std::vector<model::EndPoint> all;
  if (memory.spread) {
    for (std::uint32_t i = 0; i < ends.memories; ++i) all.push_back(ends.ranks + i);
  } else {
    for (const std::uint32_t i : network.nearest_memories(rank)) all.push_back(ends.ranks + i);
  }
  return all;
}

}  // namespace orrery::sim
