// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/mirror.h"

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

std::uint32_t sender_to(std::uint32_t receiver, const model::PhaseSpec& spec, std::uint32_t from,
                        std::uint32_t to, std::uint32_t key) {
  if (receiver == to) return from;
  const RingShape& ring = spec.request.ring;
  const std::uint32_t position = ring.position(receiver);
  if (spec.request.algorithm.algorithm != platform::Algorithm::double_binary_tree)
    return spec.source(receiver, position, key);
  const std::uint32_t slot = slot_of(tree_place(spec, to), ring.position(from));
  const std::uint32_t sender = in_slot(tree_place(spec, receiver), slot);
  return receiver - position * ring.stride + sender * ring.stride;
}

}  // namespace orrery::sim
