// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/ring_arrivals.h"

namespace orrery::sim {

const RingPeers* RingArrivals::peers_of(const Chunk& block, const model::PhaseSpec& spec) {
  const Communicator& group = run_.communicators[block.communicator];
  if (group.is_unfolded()) return nullptr;
  return &ring_peers_.of(block.communicator, group, spec.request.ring);
}

std::optional<ArrivedRing> RingArrivals::arrive(const Stream& stream) {
  Chunk& block = chunks_.of(stream);
  const model::PhaseSpec& spec = *stream.spec;
  const model::RingShape& ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  ArrivedRing made{.base = stream.member - stream.position * ring.stride};
  made.leader = made.base;
  std::uint32_t needed = ring.size;
  if (!group.is_unfolded()) {
    made.ring_peers = peers_of(block, spec);
    made.leader = made.ring_peers->leader[stream.id.representative];
    needed = static_cast<std::uint32_t>(made.representatives().size());
  }
  const std::size_t index = std::size_t{stream.phase} * block.representatives + made.leader;
  if (index >= block.ring_arrivals.size())
    block.ring_arrivals.resize((std::size_t{stream.phase} + 1) * block.representatives);
  RingArrival& arrival = block.ring_arrivals[index];
  if (arrival.arrived == 0) arrival = {spec.id, 0, run_.now(), true};
  ++waiting_;
  if (arrival.spec != spec.id) return std::nullopt;  // the members disagree: the phase never ends
  arrival.simultaneous = arrival.simultaneous && arrival.first == run_.now();
  if (++arrival.arrived < needed) return std::nullopt;
  waiting_ -= needed;
  made.simultaneous = arrival.simultaneous;
  return made;
}

}  // namespace orrery::sim
