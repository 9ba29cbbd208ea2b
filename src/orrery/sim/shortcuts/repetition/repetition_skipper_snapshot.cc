// SPDX-License-Identifier: Apache-2.0
//
// Stores the state that determines a run's future as numbers that do not depend on a shift.
#include <algorithm>
#include <array>
#include <limits>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/collective_runner.h"
#include "orrery/sim/collectives/phases/phases.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/time_accounting.h"
#include "orrery/sim/shortcuts/repetition/repetition_skipper.h"

namespace orrery::sim {

using graph::NodeId;

namespace {

constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();

template <class Row>
void append_sorted(std::vector<Row>& rows, std::vector<std::int64_t>& words) {
  std::sort(rows.begin(), rows.end());
  words.push_back(static_cast<std::int64_t>(rows.size()));
  for (const Row& row : rows) words.insert(words.end(), row.begin(), row.end());
}

}  // namespace

// Returns false if state is in use that a Snapshot does not contain, such as messages of a phase in
// flight.
bool RepetitionSkipper::take(Snapshot& to) {
  to.time = run_.now();
  to.marker = markers_;
  to.words.clear();
  to.waits.clear();
  to.lasts.clear();
  to.fronts.clear();
  to.reaches.clear();
  for (const RankState& state : run_.shared.states) {
    to.fronts.push_back(state.front);
    to.reaches.push_back(state.reach);
  }
  if (parts_.phases.has_early_messages() || !take_blocks(to)) return false;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    to.words.push_back(run_.shared.states[rank].finished ? 1 : 0);
    if (run_.shared.states[rank].finished) continue;
    take_rank(rank, to);
    take_interference(rank, to);
    take_queues(rank, to);
    if (!take_local_events(rank, to)) return false;
  }
  if (!take_events(to)) return false;
  take_mailboxes(to);
  if (run_.observer != nullptr) run_.observer->append_state(to.words);
  to.chunks.clear();
  for (std::uint32_t c = 0; c < run_.shared.arrivals.size(); ++c) {
    const std::vector<std::uint32_t>& next = parts_.chunks.sequence(c).next;
    to.chunks.push_back(next.empty() ? 0 : next.front());
  }
  to.hosts = run_.shared.hosts;
  to.results = run_.shared.results;
  to.gpu_time = run_.shared.gpu_time;
  to.totals = parts_.accounts.totals();
  to.messages = run_.result.messages;
  to.phases_by_closed_form = run_.result.savings.phases_by_closed_form;
  to.phases_by_messages = run_.result.savings.phases_by_messages;
  to.findings = run_.result.findings;
  return true;
}

std::int64_t RepetitionSkipper::relative(std::uint32_t rank, NodeId node) const {
  return node == graph::kNoNode ? kNothing : std::int64_t{node} - run_.shared.states[rank].front;
}

// Difference between the tags of the lead's current period and of its first one.
std::int64_t RepetitionSkipper::tag_base() const {
  const NodeId front = run_.shared.states[lead_].front;
  std::int64_t base = 0;
  for (const PeriodicSegment& segment : segments_of(lead_)) {
    if (segment.first <= front && front < segment.end())
      base = segment.tag_shift * ((front - segment.first) / segment.period);
  }
  return base;
}

// Stores the nodes of the rank that have been touched and have not ended, and which node has
// released each of them so far and when that node ended: both determine NodeTimes::released_by.
void RepetitionSkipper::take_rank(std::uint32_t rank, Snapshot& to) {
  const RankState& state = run_.shared.states[rank];
  std::vector<std::int64_t>& words = to.words;
  const RankNodes<NodeTimes> times = run_.shared.times_of(rank);
  const RankNodes<std::uint32_t> pending = run_.shared.waits_of(rank);
  const auto ended = [&](NodeId node) {
    words.push_back(relative(rank, node));
    words.push_back(node == graph::kNoNode ? kNothing : times[node].end - run_.now());
  };
  const std::int64_t counts[] = {state.since - run_.now(), state.computing, state.communicating,
                                 state.accessing, static_cast<std::int64_t>(state.lanes.size())};
  words.insert(words.end(), std::begin(counts), std::end(counts));
  for (const ResourceLane& lane : state.lanes) {
    if (!lane.unlimited) {
      words.push_back(lane.is_busy() ? 1 : 0);
      to.lasts.emplace_back(lane.last, lane.last == graph::kNoNode ? 0 : times[lane.last].end);
    }
    words.push_back(static_cast<std::int64_t>(lane.ready.size()));
    const std::size_t first = words.size();
    lane.ready.each([&](NodeId node) { words.push_back(relative(rank, node)); });
    std::sort(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  }
  const auto needs = run_.graph_of(rank).in_degrees();
  words.push_back(std::int64_t{state.reach} - state.front);
  if (state.reach < state.front || needs.empty()) return;
  for (NodeId node = state.front; node <= state.reach; ++node) {
    const std::uint32_t waits = pending[node];
    to.waits.push_back(waits);
    if (waits == kDone || (waits == needs[node] && waits != 0)) continue;
    words.push_back(relative(rank, node));
    words.push_back(times[node].start < 0 ? kNothing : times[node].start - run_.now());
    ended(times[node].released_by);
  }
}

// Stores the remaining times of kernels, and the interference.
void RepetitionSkipper::take_interference(std::uint32_t rank, Snapshot& to) {
  if (run_.shared.kernel_interference.empty()) return;
  const InterferenceState& state = run_.shared.kernel_interference[rank];
  std::vector<std::array<std::int64_t, 5>> rows;
  for (const InterferenceState::Kernel& kernel : state.kernels)
    rows.push_back({relative(rank, kernel.node), kernel.remaining, kernel.since - run_.now(),
                    kernel.end - run_.now(), kernel.wakes - run_.now()});
  append_sorted(rows, to.words);
  to.words.push_back(state.taken.collectives);
  to.words.push_back(state.taken.sms);
  to.words.push_back(state.taken.memory_rate);
  to.words.push_back(state.taken.copy_rate);
}

bool RepetitionSkipper::take_local_events(std::uint32_t rank, Snapshot& to) {
  std::vector<std::array<std::int64_t, 3>> rows;
  bool known = true;
  for (const auto& [time, event] : parts_.local_events.pending(rank)) {
    known =
        known &&
        (event->kind == LocalEventKind::node_done || event->kind == LocalEventKind::node_launched ||
         event->kind == LocalEventKind::memory_done || event->kind == LocalEventKind::begins ||
         event->kind == LocalEventKind::kernel_done);
    rows.push_back({time - run_.now(), static_cast<std::int64_t>(event->kind),
                    event->kind == LocalEventKind::begins ? 0 : relative(rank, event->arg)});
  }
  append_sorted(rows, to.words);
  return known;
}

// Stores chunk queues, and the state that selects queues and dimensions of future chunks.
void RepetitionSkipper::take_queues(std::uint32_t rank, Snapshot& to) {
  const std::size_t count = parts_.planner.queue_count();
  for (std::size_t number = 0; number < count; ++number) {
    const ChunkQueue& queue = run_.shared.queues[rank * count + number];
    to.words.push_back(queue.running);
    to.words.push_back(queue.last_was_gather ? 1 : 0);
    for (StreamId id = queue.first; !id.none(); id = parts_.chunks.at(id).next_waiting) {
      to.words.push_back(live_index_[id.block]);
      to.words.push_back(parts_.chunks.at(id).member);
    }
    to.words.push_back(kNothing);
  }
  const QueuePointers& pointers = run_.shared.pointers[rank];
  to.words.insert(to.words.end(), pointers.next.begin(), pointers.next.end());
  to.words.insert(to.words.end(), pointers.tree.begin(), pointers.tree.end());
  to.words.push_back(run_.shared.round_robin[rank]);
}

// Stores the chunks that at least one member has issued and not all members have completed. They
// determine the next chunk of a member: the first one that it has not issued.
bool RepetitionSkipper::take_blocks(Snapshot& to) {
  std::vector<std::array<std::int64_t, 3>> live;
  for (std::uint32_t b = 0; b < parts_.chunks.count(); ++b) {
    const Chunk& block = parts_.chunks[b];
    if (!block.streams.empty()) live.push_back({block.communicator, block.number, b});
  }
  std::sort(live.begin(), live.end());
  std::vector<std::pair<ChunkOrder, std::size_t>> in_order;  // index in `live`
  for (std::size_t i = 0; i < live.size(); ++i)
    in_order.emplace_back(parts_.chunks[static_cast<std::uint32_t>(live[i][2])].order, i);
  std::sort(in_order.begin(), in_order.end());
  live_index_.resize(parts_.chunks.count());
  to.words.push_back(static_cast<std::int64_t>(live.size()));
  for (const auto& [order, i] : in_order) to.words.push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < live.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(live[i][2]);
    live_index_[number] = static_cast<std::uint32_t>(i);
    if (!take_block(parts_.chunks[number], to)) return false;
  }
  return true;
}

bool RepetitionSkipper::take_block(const Chunk& block, Snapshot& to) {
  std::vector<std::int64_t>& words = to.words;
  const ChunkSequence& sequence = parts_.chunks.sequence(block.communicator);
  const std::uint64_t issued = sequence.first + sequence.blocks.size();
  const std::int64_t numbers[] = {
      block.communicator,
      static_cast<std::int64_t>(issued - block.number),
      block.done,
      block.plan == nullptr ? -1 : std::int64_t{static_cast<const ChunkPlan*>(block.plan)->number},
      block.phases,
      static_cast<std::int64_t>(block.dims_order.size())};
  words.insert(words.end(), std::begin(numbers), std::end(numbers));
  words.insert(words.end(), block.dims_order.begin(), block.dims_order.end());
  for (std::size_t i = 0; i < block.ring_arrivals.size(); ++i) {
    const RingArrival& arrival = block.ring_arrivals[i];
    if (arrival.arrived == 0) continue;
    const std::int64_t row[] = {static_cast<std::int64_t>(i), arrival.spec, arrival.arrived,
                                arrival.first - run_.now(), arrival.simultaneous ? 1 : 0};
    words.insert(words.end(), std::begin(row), std::end(row));
  }
  words.push_back(kNothing);
  return take_streams(block, to);
}

// Returns false if a stream runs a phase message by message.
bool RepetitionSkipper::take_streams(const Chunk& block, Snapshot& to) {
  const bool relative_priority =
      run_.platform.collectives.policy != platform::SchedulingPolicy::explicit_priority;
  for (std::uint32_t representative = 0; representative < block.representatives; ++representative) {
    const Stream& stream = block.streams[representative];
    to.words.push_back(stream.phases);
    to.words.push_back(stream.op == kNone ? 0 : 1);
    if (stream.op == kNone) continue;
    if (stream.spec != nullptr && !parts_.phases.ends_in_one_event(*stream.spec)) return false;
    const CollectiveOp& op = parts_.collectives.operations()[stream.op];
    const bool runs = stream.spec != nullptr;
    const std::int64_t row[] = {
        stream.phase,
        stream.priority - (relative_priority ? run_.shared.states[stream.rank].next_priority : 0),
        relative(op.rank, op.node),
        op.chunks_left,
        runs ? 1 : 0,
        stream.since - run_.now()};
    to.words.insert(to.words.end(), std::begin(row), std::end(row));
    if (run_.observer != nullptr) run_.observer->append_state(stream, to.words);
  }
  return true;
}

// Stores pending ends of phases and arrivals of messages. Local events of ranks are stored
// separately.
bool RepetitionSkipper::take_events(Snapshot& to) {
  std::vector<std::array<std::int64_t, 3>> phases;
  std::vector<std::array<std::int64_t, 7>> messages;
  const std::int64_t base = tag_base();
  bool known = true;
  run_.queue.each([&](const Event& event) {
    if (event.kind == EventKind::phase_end) {
      for (std::uint32_t m = event.first; m < event.first + event.count; ++m)
        phases.push_back({event.time - run_.now(), live_index_[event.block], m});
    } else if (event.kind == EventKind::p2p_deliver) {
      const P2pMessage& message = parts_.messages.state().messages[event.first];
      messages.push_back({event.time - run_.now(), message.key.src, message.key.dst,
                          message.key.size, static_cast<std::int64_t>(message.key.tag) - base,
                          message.sender.rank, relative(message.sender.rank, message.sender.node)});
    } else {
      known = known && event.kind == EventKind::local;
    }
  });
  append_sorted(phases, to.words);
  append_sorted(messages, to.words);
  return known;
}

void RepetitionSkipper::take_mailboxes(Snapshot& to) {
  const std::int64_t base = tag_base();
  for (const Mailboxes::Entry* entry : parts_.messages.state().mailboxes.sorted()) {
    const Mailbox& box = entry->box;
    const std::int64_t row[] = {entry->key.src,  entry->key.dst,
                                entry->key.size, static_cast<std::int64_t>(entry->key.tag) - base,
                                box.arrived,     box.in_flight};
    to.words.insert(to.words.end(), std::begin(row), std::end(row));
    for (std::uint32_t r = box.first; r != kNone; r = parts_.messages.state().next_receive[r]) {
      const Receive& receive = parts_.messages.state().receives[r];
      to.words.push_back(receive.who.rank);
      to.words.push_back(relative(receive.who.rank, receive.who.node));
      to.words.push_back(receive.since < 0 ? kNothing : receive.since - run_.now());
      to.words.push_back(box.expecting == r ? 1 : 0);
    }
    to.words.push_back(kNothing);
  }
}

}  // namespace orrery::sim
