// SPDX-License-Identifier: Apache-2.0
//
// Nothing moves any more (of a job, where there are several), and ranks wait for each other: each
// runs another chunk than its peers in some dimension. A real cluster runs collectives of several
// groups on streams of their own, so no order may bring a run to a halt. (The reference hangs.)
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "orrery/sim/collectives/chunks/chunk_queues.h"

namespace orrery::sim {

// Whether `is_so` of any member of the ring in which the chunk waits to run.
template <class IsSo>
bool ChunkQueues::any_peer(const Chunk& block, const Stream& stream, const IsSo& is_so) const {
  const std::uint32_t id = planner_.list(stream.phases)[stream.phase].spec;
  const model::RingShape& ring = planner_.spec(id).request.ring;
  const std::uint32_t base = stream.member - ring.position(stream.member) * ring.stride;
  for (std::uint32_t p = 0; p < ring.size; ++p) {
    if (is_so(chunks_.at(block, base + p * ring.stride), id)) return true;
  }
  return false;
}

bool ChunkQueues::peer_has_begun(const Chunk& block, const Stream& stream) const {
  return any_peer(block, stream, [](const Stream& peer, std::uint32_t id) {
    return peer.spec != nullptr && peer.spec->id == id;
  });
}

// Whether every peer of the phase it waits for runs it or waits for it too.
bool ChunkQueues::peers_are_here(const Chunk& block, const Stream& stream) const {
  return !any_peer(block, stream, [this](const Stream& peer, std::uint32_t id) {
    return peer.phases == kNone || peer.phase >= planner_.list(peer.phases).size() ||
           planner_.list(peer.phases)[peer.phase].spec != id;
  });
}

// Starts chunks of a queue beyond the limit of active chunks: those that `wanted` names; with
// `one`, only the first.
template <class Wanted>
bool ChunkQueues::begin_beyond(std::uint64_t number, const Wanted& wanted, bool one) {
  ChunkQueue& queue = run_.shared.queues[number];
  const std::uint32_t rank = rank_of(number);
  bool moved = false;
  run_.jobs.act_for(rank);
  for (StreamId* link = &queue.first; !link->none() && !(one && moved);) {
    Stream& stream = chunks_.at(*link);
    if (!wanted(chunks_.of(stream), stream)) {
      link = &stream.next_waiting;
      continue;
    }
    *link = std::exchange(stream.next_waiting, StreamId{});
    ++queue.running;
    run_.result.findings.add(FindingCode::chunk_order_resolved,
                             fmt::format("rank {}", run_.real(rank)), run_.weight(rank));
    starter_->begin_phase(stream);
    moved = true;
  }
  queue.last = {};
  for (StreamId id = queue.first; !id.none(); id = chunks_.at(id).next_waiting) queue.last = id;
  return moved;
}

// Which of the chunks that could begin is the oldest: when it was issued, and by which node. Ranks
// agree on it without their numbers.
std::optional<std::pair<std::int64_t, graph::NodeId>> ChunkQueues::oldest_of_those_here(
    const IsMeant& meant) {
  const Chunk* oldest = nullptr;
  for (std::uint64_t number = 0; number < run_.shared.queues.size(); ++number) {
    if (!meant(rank_of(number))) continue;
    for (StreamId id = run_.shared.queues[number].first; !id.none();
         id = chunks_.at(id).next_waiting) {
      const Stream& stream = chunks_.at(id);
      const Chunk& block = chunks_.of(stream);
      if (&block == oldest || !peers_are_here(block, stream)) continue;
      const auto age = [](const Chunk& b) { return std::pair(b.order.issued, b.order.node); };
      if (oldest == nullptr || age(block) < age(*oldest)) oldest = &block;
    }
  }
  if (oldest == nullptr) return std::nullopt;
  return std::pair(oldest->order.issued, oldest->order.node);
}

// The chunks that a peer has begun are started beyond the limit of active chunks. If nobody has
// begun any, some whose peers all have them waiting: ASTRA rules start the first of the first rank,
// Orrery rules the oldest everywhere, so that ranks' numbers have no part in it. False: nothing can
// be started.
bool ChunkQueues::break_deadlock(const IsMeant& meant) {
  const std::uint64_t queues = run_.shared.queues.size();
  bool moved = false;
  const auto begun = [&](const Chunk& block, const Stream& s) { return peer_has_begun(block, s); };
  for (std::uint64_t number = 0; number < queues; ++number)
    moved |= meant(rank_of(number)) && begin_beyond(number, begun, false);
  if (moved) {
    // Under ASTRA rules the order in which ranks did so can be seen.
    if (run_.guarded)
      run_.fold_failed = "ranks wait for each other, and their numbers decide who goes on";
    return true;
  }
  const auto oldest = run_.policy.first_come ? std::nullopt : oldest_of_those_here(meant);
  if (!run_.policy.first_come && !oldest) return false;
  const auto here = [&](const Chunk& block, const Stream& s) {
    return (run_.policy.first_come || *oldest == std::pair(block.order.issued, block.order.node)) &&
           peers_are_here(block, s);
  };
  for (std::uint64_t number = 0; number < queues && !(run_.policy.first_come && moved); ++number)
    moved |= meant(rank_of(number)) && begin_beyond(number, here, true);
  if (moved && run_.guarded)
    run_.fold_failed = "ranks wait for each other, and their numbers decide who goes on";
  return moved;
}

bool ChunkQueues::any_waits(std::uint16_t job) const {
  for (std::uint64_t number = 0; number < run_.shared.queues.size(); ++number) {
    if (run_.jobs.of(rank_of(number)) == job && !run_.shared.queues[number].first.none())
      return true;
  }
  return false;
}

}  // namespace orrery::sim
