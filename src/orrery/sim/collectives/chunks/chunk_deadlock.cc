// SPDX-License-Identifier: Apache-2.0
//
// Resolves deadlocks: no event is left (of a job, if there are several), and ranks wait for each
// other, because each runs another chunk than its peers in some dimension. A real cluster runs
// collectives of different groups on separate streams, so that no order of chunks may stop a run.
// (ASTRA-sim hangs.)
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "orrery/sim/collectives/chunks/chunk_queues.h"

namespace orrery::sim {

// Whether `condition` holds for any member of the ring in which the chunk waits to run.
template <class Condition>
bool ChunkQueues::any_peer(const Chunk& block, const Stream& stream,
                           const Condition& condition) const {
  const std::uint32_t id = planner_.list(stream.phases)[stream.phase].spec;
  const model::RingShape& ring = planner_.spec(id).request.ring;
  const std::uint32_t base = stream.member - ring.position(stream.member) * ring.stride;
  for (std::uint32_t p = 0; p < ring.size; ++p) {
    if (condition(chunks_.at(block, base + p * ring.stride), id)) return true;
  }
  return false;
}

bool ChunkQueues::peer_has_begun(const Chunk& block, const Stream& stream) const {
  return any_peer(block, stream, [](const Stream& peer, std::uint32_t id) {
    return peer.spec != nullptr && peer.spec->id == id;
  });
}

// Whether every peer of the chunk's next phase runs this phase or waits for it.
bool ChunkQueues::peers_are_waiting(const Chunk& block, const Stream& stream) const {
  return !any_peer(block, stream, [this](const Stream& peer, std::uint32_t id) {
    return peer.phases == kNone || peer.phase >= planner_.list(peer.phases).size() ||
           planner_.list(peer.phases)[peer.phase].spec != id;
  });
}

// Starts chunks of a queue beyond the limit of active chunks: those that `is_selected` names; with
// `one`, only the first.
template <class IsSelected>
bool ChunkQueues::begin_beyond_limit(std::uint64_t number, const IsSelected& is_selected,
                                     bool one) {
  ChunkQueue& queue = run_.shared.queues[number];
  const std::uint32_t rank = rank_of(number);
  bool moved = false;
  run_.jobs.set_current(rank);
  for (StreamId* link = &queue.first; !link->none() && !(one && moved);) {
    Stream& stream = chunks_.at(*link);
    if (!is_selected(chunks_.of(stream), stream)) {
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

// The oldest of the chunks that could begin: time of issue and issuing node. All ranks agree on it,
// independent of rank numbers.
std::optional<std::pair<std::int64_t, graph::NodeId>> ChunkQueues::oldest_startable(
    const RankFilter& is_selected) {
  const Chunk* oldest = nullptr;
  for (std::uint64_t number = 0; number < run_.shared.queues.size(); ++number) {
    if (!is_selected(rank_of(number))) continue;
    for (StreamId id = run_.shared.queues[number].first; !id.none();
         id = chunks_.at(id).next_waiting) {
      const Stream& stream = chunks_.at(id);
      const Chunk& block = chunks_.of(stream);
      if (&block == oldest || !peers_are_waiting(block, stream)) continue;
      const auto age = [](const Chunk& b) { return std::pair(b.order.issued, b.order.node); };
      if (oldest == nullptr || age(block) < age(*oldest)) oldest = &block;
    }
  }
  if (oldest == nullptr) return std::nullopt;
  return std::pair(oldest->order.issued, oldest->order.node);
}

// Starts the chunks that a peer has begun, beyond the limit of active chunks. If no peer has begun
// any, starts chunks that wait at all of their peers: under ASTRA rules the first of the first
// rank, under Orrery rules the oldest everywhere, so that rank numbers have no influence. False:
// nothing can be started.
bool ChunkQueues::break_deadlock(const RankFilter& is_selected) {
  const std::uint64_t queues = run_.shared.queues.size();
  bool moved = false;
  const auto begun = [&](const Chunk& block, const Stream& s) { return peer_has_begun(block, s); };
  for (std::uint64_t number = 0; number < queues; ++number)
    moved |= is_selected(rank_of(number)) && begin_beyond_limit(number, begun, false);
  if (moved) {
    // Under ASTRA rules, the order in which ranks continue affects results.
    if (run_.guarded)
      run_.fold_failed = "ranks wait for each other, and their numbers decide which rank continues";
    return true;
  }
  const auto oldest = run_.policy.first_come ? std::nullopt : oldest_startable(is_selected);
  if (!run_.policy.first_come && !oldest) return false;
  const auto can_begin = [&](const Chunk& block, const Stream& s) {
    return (run_.policy.first_come || *oldest == std::pair(block.order.issued, block.order.node)) &&
           peers_are_waiting(block, s);
  };
  for (std::uint64_t number = 0; number < queues && !(run_.policy.first_come && moved); ++number)
    moved |= is_selected(rank_of(number)) && begin_beyond_limit(number, can_begin, true);
  if (moved && run_.guarded)
    run_.fold_failed = "ranks wait for each other, and their numbers decide which rank continues";
  return moved;
}

bool ChunkQueues::has_waiting(std::uint16_t job) const {
  for (std::uint64_t number = 0; number < run_.shared.queues.size(); ++number) {
    if (run_.jobs.of(rank_of(number)) == job && !run_.shared.queues[number].first.none())
      return true;
  }
  return false;
}

}  // namespace orrery::sim
