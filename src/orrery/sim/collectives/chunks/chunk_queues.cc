// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/chunk_queues.h"

#include <algorithm>

namespace orrery::sim {

void ChunkQueues::issue(Stream& stream, const void* plan, graph::NodeId node) {
  if (!run_.policy.ranks_agree) {
    enqueue(stream);
    return pump(stream.rank, planner_.list(stream.phases)[stream.phase].queue);
  }
  issued_.push_back({stream.id, plan});
  Chunk& block = chunks_.of(stream);
  if (block.decided) return;
  if (block.plan == nullptr) undecided_.push_back(stream.id.block);
  const bool preferred = block.plan == nullptr || node < block.order.node ||
                         (node == block.order.node && block.phases != stream.phases &&
                          planner_.is_less(stream.phases, block.phases));
  if (!preferred) return;
  block.order.node = node;
  block.plan = plan;
  block.phases = stream.phases;
}

// All ranks get the plan of the chunk, so that they cannot disagree on the direction of a ring.
void ChunkQueues::take_issued() {
  for (const std::uint32_t number : undecided_) chunks_[number].decided = true;
  undecided_.clear();
  for (const Issued& issued : issued_) {
    Stream& stream = chunks_.at(issued.stream);
    const Chunk& block = chunks_.of(stream);
    if (block.plan == issued.plan) stream.phases = block.phases;
    enqueue(stream);
    pump(stream.rank, planner_.list(stream.phases)[stream.phase].queue);
  }
  issued_.clear();
}

void ChunkQueues::enqueue(Stream& stream) {
  stream.spec = nullptr;
  stream.since = run_.now();
  if (run_.observer != nullptr) run_.observer->chunk_waits(stream);
  const std::uint32_t number = planner_.list(stream.phases)[stream.phase].queue;
  ChunkQueue& queue = of(stream.rank, number);
  if (run_.policy.first_come ||
      run_.platform.collectives.intra_dimension != platform::IntraDimension::rg)
    return insert_waiting(queue, stream);
  stream.next_waiting = std::exchange(queue.arrived, stream.id);
}

void ChunkQueues::start_waiting(std::uint64_t number) {
  ChunkQueue& queue = run_.shared.queues[number];
  if (!queue.arrived.none()) insert_arrived(queue);
  run_.jobs.set_current(rank_of(number));
  const auto q = run_.platform.collectives.queues_per_dim;
  const auto limit =
      static_cast<std::uint32_t>((run_.platform.collectives.active_chunks + q - 1) / q);
  while (!queue.first.none() && queue.running < limit) {
    Stream& stream = chunks_.at(queue.first);
    queue.first = std::exchange(stream.next_waiting, StreamId{});
    ++queue.running;
    starter_->begin_phase(stream);
  }
}

void ChunkQueues::pump(std::uint32_t rank, std::uint32_t number) {
  const std::uint64_t queue = rank * std::uint64_t{planner_.queue_count()} + number;
  if (run_.policy.first_come) return start_waiting(queue);
  if (std::exchange(run_.shared.queues[queue].unsettled, true)) return;
  unsettled_.push_back(queue);
}

bool ChunkQueues::settle() {
  take_issued();
  if (unsettled_.empty()) return false;
  settling_.swap(unsettled_);
  if (!std::is_sorted(settling_.begin(), settling_.end()))
    std::sort(settling_.begin(), settling_.end());
  for (const std::uint64_t queue : settling_) {
    run_.shared.queues[queue].unsettled = false;
    start_waiting(queue);
  }
  settling_.clear();
  return true;
}

void ChunkQueues::note_gather(std::uint32_t rank, std::uint32_t number, const Stream& stream) {
  const bool gather = stream.spec->request.type == graph::CollectiveType::all_gather;
  if (run_.policy.first_come) {
    run_.shared.last_was_gather[rank] = gather;
    return;
  }
  if (run_.platform.collectives.intra_dimension != platform::IntraDimension::rg) return;
  const Chunk& block = chunks_.of(stream);
  ChunkQueue& queue = of(rank, number);
  if (queue.last_at == run_.now() && block.order < queue.last_chunk) return;
  queue.last_at = run_.now();
  queue.last_chunk = block.order;
  queue.last_was_gather = gather;
}

}  // namespace orrery::sim
