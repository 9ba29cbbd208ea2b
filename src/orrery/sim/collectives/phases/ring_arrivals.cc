// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/ring_arrivals.h"

namespace orrery::sim {

std::optional<ArrivedRing> RingArrivals::come(const Stream& stream) {
  Chunk& block = chunks_.of(stream);
  const model::PhaseSpec& spec = *stream.spec;
  const model::RingShape& ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  ArrivedRing made{.base = stream.member - stream.position * ring.stride};
  made.leader = made.base;
  std::uint32_t needed = ring.size;
  if (!group.one_each()) {
    made.ring_peers = &ring_peers_.of(block.communicator, group, ring);
    made.leader = made.ring_peers->leader[stream.id.player];
    needed = static_cast<std::uint32_t>(made.players().size());
  }
  const std::size_t index = std::size_t{stream.phase} * block.players + made.leader;
  if (index >= block.ring_arrivals.size())
    block.ring_arrivals.resize((std::size_t{stream.phase} + 1) * block.players);
  RingArrival& gathering = block.ring_arrivals[index];
  if (gathering.come == 0) gathering = {spec.id, 0, run_.now(), true};
  ++waiting_;
  if (gathering.spec != spec.id) return std::nullopt;  // they do not mean the same: nobody ends
  gathering.together = gathering.together && gathering.first == run_.now();
  if (++gathering.come < needed) return std::nullopt;
  waiting_ -= needed;
  made.together = gathering.together;
  return made;
}

}  // namespace orrery::sim
