// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/parties.h"

#include <algorithm>

namespace orrery::sim {

const Parties& PartyBook::of(std::uint32_t communicator, const Communicator& group,
                             const model::RingShape& ring) {
  const auto [found, added] = known_.try_emplace({communicator, ring.size, ring.stride});
  Parties& parties = found->second;
  if (!added) return parties;
  const std::uint32_t slots = group.slot_count();
  parties.leader.assign(slots, kNone);
  parties.together.resize(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (parties.leader[slot] != kNone) continue;
    const std::uint32_t member = group.member_of_slot(slot);
    const std::uint32_t base = member - ring.position(member) * ring.stride;
    std::vector<std::uint32_t>& set = parties.together[slot];
    for (std::uint32_t p = 0; p < ring.size; ++p) set.push_back(group.slot(base + p * ring.stride));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    for (const std::uint32_t one : set) parties.leader[one] = slot;
  }
  return parties;
}

}  // namespace orrery::sim
