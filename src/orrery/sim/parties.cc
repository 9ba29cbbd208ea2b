// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/parties.h"

#include <algorithm>

namespace orrery::sim {

const Parties& PartyBook::of(std::uint32_t communicator, const Communicator& group,
                             const model::RingShape& ring) {
  const auto [found, added] = known_.try_emplace({communicator, ring.size, ring.stride});
  Parties& parties = found->second;
  if (!added) return parties;
  const std::uint32_t players = group.player_count();
  parties.leader.assign(players, kNone);
  parties.together.resize(players);
  for (std::uint32_t player = 0; player < players; ++player) {
    if (parties.leader[player] != kNone) continue;
    const std::uint32_t member = group.who_plays(player).member;
    const std::uint32_t base = member - ring.position(member) * ring.stride;
    std::vector<std::uint32_t>& set = parties.together[player];
    for (std::uint32_t p = 0; p < ring.size; ++p)
      set.push_back(group.player(base + p * ring.stride));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    for (const std::uint32_t one : set) parties.leader[one] = player;
  }
  return parties;
}

}  // namespace orrery::sim
