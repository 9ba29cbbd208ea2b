// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/ring_peers.h"

#include <algorithm>

namespace orrery::sim {

const RingPeers& RingPeersCache::of(std::uint32_t communicator, const Communicator& group,
                                    const model::RingShape& ring) {
  const auto [found, added] = known_.try_emplace({communicator, ring.size, ring.stride});
  RingPeers& ring_peers = found->second;
  if (!added) return ring_peers;
  const std::uint32_t players = group.player_count();
  ring_peers.leader.assign(players, kNone);
  ring_peers.together.resize(players);
  for (std::uint32_t player = 0; player < players; ++player) {
    if (ring_peers.leader[player] != kNone) continue;
    const std::uint32_t member = group.who_plays(player).member;
    const std::uint32_t base = member - ring.position(member) * ring.stride;
    std::vector<std::uint32_t>& set = ring_peers.together[player];
    for (std::uint32_t p = 0; p < ring.size; ++p)
      set.push_back(group.player(base + p * ring.stride));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    for (const std::uint32_t one : set) ring_peers.leader[one] = player;
  }
  return ring_peers;
}

}  // namespace orrery::sim
