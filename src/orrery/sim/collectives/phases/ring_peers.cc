// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/ring_peers.h"

#include <algorithm>

namespace orrery::sim {

const RingPeers& RingPeersCache::of(std::uint32_t communicator, const Communicator& group,
                                    const model::RingShape& ring) {
  const auto [found, added] = known_.try_emplace({communicator, ring.size, ring.stride});
  RingPeers& ring_peers = found->second;
  if (!added) return ring_peers;
  const std::uint32_t representatives = group.representative_count();
  ring_peers.leader.assign(representatives, kNone);
  ring_peers.sets.resize(representatives);
  for (std::uint32_t representative = 0; representative < representatives; ++representative) {
    if (ring_peers.leader[representative] != kNone) continue;
    const std::uint32_t member = group.representative_at(representative).member;
    const std::uint32_t base = member - ring.position(member) * ring.stride;
    std::vector<std::uint32_t>& set = ring_peers.sets[representative];
    for (std::uint32_t p = 0; p < ring.size; ++p)
      set.push_back(group.representative(base + p * ring.stride));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    for (const std::uint32_t one : set) ring_peers.leader[one] = representative;
  }
  return ring_peers;
}

}  // namespace orrery::sim
