// SPDX-License-Identifier: Apache-2.0
//
// Order: which dimension a chunk visits first, and which of the chunks waiting at a dimension is
// next.
#include <algorithm>
#include <utility>

#include "orrery/sim/engine.h"

namespace orrery::sim {

using graph::CollectiveType;
using platform::InterDimension;
using platform::IntraDimension;

// ASTRA rules: every rank rotates by itself, and ranks that issue collectives of several groups in
// different orders run different phases. Orrery rules: the first that issues a chunk decides for
// all.
std::vector<std::uint8_t> Engine::next_rotation(const Stream& stream, std::size_t dims,
                                                bool gather) {
  Block& block = blocks_[stream.block];
  if (!run_.astra() && block.dims_order.size() == dims) return block.dims_order;
  std::uint8_t& first = run_.ground.round_robin[stream.rank];
  std::vector<std::uint8_t> order;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::size_t d = (first + i) % dims;
    order.push_back(static_cast<std::uint8_t>(gather ? dims - 1 - d : d));
  }
  first = static_cast<std::uint8_t>((first + 1u) % dims);
  block.dims_order = order;
  return order;
}

// The dimension order of a chunk, and under Themis its size: `chunk`, or less if only `left` bytes
// are left, or what levels the loads. The first rank that issues the chunk decides for all.
void Engine::order_chunk(const Stream& stream, ChunkRequest& request, std::int64_t left,
                         std::int64_t chunk, const model::LogicalTopology& topology) {
  const InterDimension policy = run_.platform.collectives.inter_dimension;
  const bool gather = request.type == CollectiveType::all_gather;
  if (policy == InterDimension::round_robin) {
    request.order = next_rotation(stream, topology.dims.size(), gather);
    return;
  }
  if (request.type == CollectiveType::all_to_all) return;
  const bool aware =
      run_.platform.collectives.optimization == platform::CollectiveOptimization::local_bw_aware;
  request.two_phase = request.type == CollectiveType::all_reduce && (aware || !run_.astra());
  Block& block = blocks_[stream.block];
  if (block.chunk == 0) {
    Themis::Decision decision =
        themis_.next(request.type, chunk, left, topology, policy == InterDimension::themis_flex);
    block.dims_order = std::move(decision.order);
    block.chunk = decision.bytes;
  }
  for (const std::uint8_t d :
       block.dims_order) {  // the first rank may have issued a collective with other dimensions
    if (d < topology.dims.size()) request.order.push_back(d);
  }
  request.bytes = block.chunk;
}

const model::PhaseRequest& Engine::phase_of(const Stream& stream) const {
  return planner_.spec(planner_.list(stream.phases)[stream.phase].spec).request;
}

std::size_t Engine::phases_left(const Stream& stream) const {
  return planner_.list(stream.phases).size() - stream.phase;
}

std::int64_t Engine::largest_data(const Stream& stream) const {
  const model::PhaseRequest& phase = phase_of(stream);
  return std::max(phase.data,
                  model::data_after(phase.type, phase.data, phase.ring.size, run_.platform.rules));
}

// Ranks that are simulated for others may have to decide by numbers that the others do not have.
bool Engine::comes_before(Block& one, Block& other) {
  const ChunkOrder& a = one.order;
  const ChunkOrder& b = other.order;
  const bool one_group = one.communicator == other.communicator;
  if (run_.folded && a.issued == b.issued && !(one_group && a.node == b.node)) {
    one.in_a_tie = other.in_a_tie = true;
    const bool several = run_.communicators[one.communicator].stands_for_several ||
                         run_.communicators[other.communicator].stands_for_several;
    if (one.by_number || other.by_number || (several && a.node == b.node)) doubt_order();
  }
  return a < b;
}

void Engine::doubt_order() {
  run_.fold_failed = "chunks of several groups tie, and ranks' numbers decide";
}

bool Engine::goes_before(const Stream& newcomer, const Stream& waiting) {
  if (run_.astra()) return goes_before_astra(newcomer, waiting);
  // Ranks must agree on the order even when chunks come at the same time.
  const auto tie = [&] {
    return newcomer.waiting_since == waiting.waiting_since &&
           comes_before(blocks_[newcomer.block], blocks_[waiting.block]);
  };
  const std::size_t left = phases_left(newcomer);
  const std::size_t waiting_left = phases_left(waiting);
  switch (run_.platform.collectives.intra_dimension) {
    case IntraDimension::smallest_first: {
      if (left == 1 || waiting_left == 1)
        return left != 1 || (waiting_left == 1 && tie());  // last phases go to the end
      const std::int64_t data = largest_data(newcomer);
      const std::int64_t waiting_data = largest_data(waiting);
      return data < waiting_data || (data == waiting_data && tie());
    }
    case IntraDimension::less_remaining_phases_first:
      return left < waiting_left || (left == waiting_left && tie());
    case IntraDimension::rg: {
      const std::uint32_t number = planner_.list(newcomer.phases)[newcomer.phase].queue;
      const bool wanted =
          !run_.ground.queues[newcomer.rank * std::size_t{planner_.queue_count()} + number]
               .last_was_gather;
      const auto fits = [&](const Stream& stream) {
        return (phase_of(stream).type == CollectiveType::all_gather) == wanted;
      };
      return fits(newcomer) && !fits(waiting);
    }
    case IntraDimension::fifo:
      break;
  }
  return newcomer.priority > waiting.priority || (newcomer.priority == waiting.priority && tie());
}

// ASTRA-sim's rules: a newcomer overtakes its equals, and it is the chunks in their last but one
// phase that go to the end.
bool Engine::goes_before_astra(const Stream& newcomer, const Stream& waiting) const {
  const CollectiveType type = phase_of(newcomer).type;
  const bool scheduled = type != CollectiveType::all_reduce && type != CollectiveType::all_to_all;
  const IntraDimension policy =
      scheduled ? run_.platform.collectives.intra_dimension : IntraDimension::fifo;
  switch (policy) {
    case IntraDimension::smallest_first:
      return phases_left(newcomer) != 2 && largest_data(newcomer) <= largest_data(waiting);
    case IntraDimension::less_remaining_phases_first:
      return phases_left(newcomer) <= phases_left(waiting);
    case IntraDimension::rg: {
      const bool wanted = run_.ground.last_was_gather[newcomer.rank] == 0;
      return (type == CollectiveType::all_gather) == wanted &&
             (phase_of(waiting).type == CollectiveType::all_gather) != wanted;
    }
    case IntraDimension::fifo:
      break;
  }
  return newcomer.priority > waiting.priority;
}

// RG looks at what left last: chunks are put in order when all that leave in this tick have left,
// and one after the other in the order of chunks.
void Engine::insert_arrived(ChunkQueue& queue) {
  std::vector<Stream*> arrived;
  for (Stream* s = std::exchange(queue.arrived, nullptr); s != nullptr; s = s->next_waiting)
    arrived.push_back(s);
  std::sort(arrived.begin(), arrived.end(), [&](const Stream* a, const Stream* b) {
    return comes_before(blocks_[a->block], blocks_[b->block]);
  });
  for (Stream* stream : arrived) insert_waiting(queue, *stream);
}

// In front of the first that the newcomer goes before. (From the front: under ASTRA rules the queue
// need not be sorted.)
void Engine::insert_waiting(ChunkQueue& queue, Stream& stream) {
  Stream** link = &queue.first;
  const bool sorted =
      !run_.astra() || run_.platform.collectives.intra_dimension == IntraDimension::fifo;
  if (sorted && queue.first != nullptr && !goes_before(stream, *queue.last))
    link = &queue.last->next_waiting;
  while (*link != nullptr && !goes_before(stream, **link)) link = &(*link)->next_waiting;
  stream.next_waiting = *link;
  *link = &stream;
  if (stream.next_waiting == nullptr) queue.last = &stream;
}

}  // namespace orrery::sim
