// SPDX-License-Identifier: Apache-2.0
//
// The order of the chunks that wait for a dimension.
#include <algorithm>
#include <utility>

#include "orrery/sim/collectives/chunks/chunk_queues.h"

namespace orrery::sim {

using graph::CollectiveType;
using platform::IntraDimension;

const model::PhaseRequest& ChunkQueues::phase_of(const Stream& stream) const {
  return planner_.spec(planner_.list(stream.phases)[stream.phase].spec).request;
}

std::size_t ChunkQueues::phases_left(const Stream& stream) const {
  return planner_.list(stream.phases).size() - stream.phase;
}

std::int64_t ChunkQueues::largest_data(const Stream& stream) const {
  const model::PhaseRequest& phase = phase_of(stream);
  return std::max(phase.data,
                  model::data_after(phase.type, phase.data, phase.ring.size, run_.platform.rules));
}

bool ChunkQueues::precedes(const Stream& newcomer, const Stream& waiting) const {
  if (run_.policy.first_come) return precedes_in_astra(newcomer, waiting);
  // Ranks must agree on the order even if chunks arrive at the same time.
  const auto tie = [&] {
    return newcomer.since == waiting.since &&
           chunks_.of(newcomer).order < chunks_.of(waiting).order;
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
          !run_.shared.queues[newcomer.rank * std::size_t{planner_.queue_count()} + number]
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

// ASTRA-sim's rules: a newcomer overtakes its equals, and chunks in their second-last phase go to
// the end.
bool ChunkQueues::precedes_in_astra(const Stream& newcomer, const Stream& waiting) const {
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
      const bool wanted = run_.shared.last_was_gather[newcomer.rank] == 0;
      return (type == CollectiveType::all_gather) == wanted &&
             (phase_of(waiting).type == CollectiveType::all_gather) != wanted;
    }
    case IntraDimension::fifo:
      break;
  }
  return newcomer.priority > waiting.priority;
}

// RG depends on the phase that left last. So the queue sorts arrived chunks in after all chunks
// that leave in this tick have left, in the order of chunks.
void ChunkQueues::insert_arrived(ChunkQueue& queue) {
  std::vector<StreamId> arrived;
  for (StreamId id = std::exchange(queue.arrived, {}); !id.none(); id = chunks_.at(id).next_waiting)
    arrived.push_back(id);
  std::sort(arrived.begin(), arrived.end(), [&](StreamId a, StreamId b) {
    return chunks_[a.block].order < chunks_[b.block].order;
  });
  for (const StreamId id : arrived) insert_waiting(queue, chunks_.at(id));
}

// Inserts the chunk before the first one that it precedes. (Searches from the front, because under
// ASTRA rules the queue need not be sorted.)
void ChunkQueues::insert_waiting(ChunkQueue& queue, Stream& stream) {
  StreamId* link = &queue.first;
  const bool sorted =
      !run_.policy.first_come || run_.platform.collectives.intra_dimension == IntraDimension::fifo;
  if (sorted && !queue.first.none() && !precedes(stream, chunks_.at(queue.last)))
    link = &chunks_.at(queue.last).next_waiting;
  while (!link->none() && !precedes(stream, chunks_.at(*link)))
    link = &chunks_.at(*link).next_waiting;
  stream.next_waiting = *link;
  *link = stream.id;
  if (stream.next_waiting.none()) queue.last = stream.id;
}

}  // namespace orrery::sim
