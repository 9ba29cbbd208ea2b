// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/plans/tree_slots.h"

#include "orrery/core/check.h"

namespace orrery::sim {

using model::RingShape;
using model::TreePlace;

std::uint32_t in_slot(const TreePlace& place, std::uint32_t slot) {
  ORRERY_CHECK(slot < kTreeSlots);
  const std::uint32_t positions[kTreeSlots] = {place.parent, place.left, place.right};
  return positions[slot];
}

std::uint32_t slot_of(const TreePlace& place, std::uint32_t position) {
  for (std::uint32_t slot = 0; slot < kTreeSlots; ++slot) {
    if (in_slot(place, slot) == position) return slot;
  }
  return kTreeSlots;
}

TreePlace tree_place(const model::PhaseSpec& spec, std::uint32_t member) {
  const RingShape& ring = spec.request.ring;
  return model::tree_place(ring.position(member), ring.size, !spec.request.min_tree);
}

std::uint32_t member_in(const model::PhaseSpec& spec, std::uint32_t member, std::uint32_t slot) {
  const RingShape& ring = spec.request.ring;
  const std::uint32_t position = in_slot(tree_place(spec, member), slot);
  return member - ring.position(member) * ring.stride + position * ring.stride;
}

std::uint32_t sender_of(const model::PhaseSpec& spec, std::uint32_t member, std::uint32_t key) {
  if (spec.peers == model::Peers::tree) return member_in(spec, member, key);
  return spec.source(member, spec.request.ring.position(member), key);
}

}  // namespace orrery::sim
