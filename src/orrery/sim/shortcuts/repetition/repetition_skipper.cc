// SPDX-License-Identifier: Apache-2.0
//
// Skips iterations that repeat earlier ones. Under Orrery rules, the future of a run depends only
// on its state at the end of a tick. If the state equals that at an earlier marker, except for a
// shift in time and of each rank in its graph, and the graphs continue to repeat, then the future
// repeats, too. The run then jumps over as many repetitions as the graphs have.
//
// Each marker is compared with a stored one, which is replaced when the distance has grown to a
// quarter of the number of markers. So the skipper finds cycles of any number of periods, and
// forgets the time before them (as in Brent, "An improved Monte Carlo factorization algorithm", BIT
// 20, 1980, section 2).
#include "orrery/sim/shortcuts/repetition/repetition_skipper.h"

#include <algorithm>
#include <limits>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/collective_runner.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/ranks/nodes.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/time_accounting.h"
#include "orrery/sim/shortcuts/shortcut_rules.h"

namespace orrery::sim {

using graph::NodeId;

namespace {

constexpr std::uint64_t kFreeComparisons = 1 << 15;  // numbers that comparisons can always read
constexpr std::uint64_t kPerEvent = 1;               // … plus this many per event

/// The segment that contains the node, or null.
const PeriodicSegment* segment_of(const std::vector<PeriodicSegment>& all, NodeId node) {
  const auto after = std::upper_bound(
      all.begin(), all.end(), node, [](NodeId n, const PeriodicSegment& s) { return n < s.first; });
  if (after == all.begin() || (after - 1)->end() <= node) return nullptr;
  return &*(after - 1);
}

// Counts of findings can be multiplied, but the first few of a code store their places and must be
// simulated.
bool findings_repeat(const Findings& now, const Findings& before) {
  const auto all = now.list();
  return std::all_of(all.begin(), all.end(), [&](const Finding& finding) {
    const std::uint64_t count = before.count(finding.code);
    return count == finding.count || count >= Findings::kPlaces;
  });
}

/// Moves the front of a rank past nodes that have ended.
void advance_front(const EngineRun& run, std::uint32_t rank) {
  NodeId& front = run.shared.states[rank].front;
  const RankNodes<std::uint32_t> waits = run.shared.waits_of(rank);
  while (front < run.graph_of(rank).size() && waits[front] == kDone) ++front;
}

}  // namespace

// The lead is the rank whose graph has most nodes to skip.
void RepetitionSkipper::set_up() {
  if (!why_not_skip(run_.workload, run_.platform, run_.network.traits(), run_.options).empty())
    return;
  segments_by_graph_.resize(run_.workload.graphs.size());
  std::vector<std::uint64_t> saved(run_.workload.graphs.size(),
                                   std::numeric_limits<std::uint64_t>::max());
  std::uint64_t maximum = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const std::uint32_t number = run_.workload.graph_of_rank[run_.real(rank)];
    const graph::Graph& graph = run_.graph_of(rank);
    const auto waits = graph.in_degrees();
    for (NodeId node = 0; node < graph.size(); ++node) {
      if (waits[node] == 0) run_.shared.states[rank].reach = node;
    }
    if (saved[number] != std::numeric_limits<std::uint64_t>::max()) continue;
    saved[number] = 0;
    segments_by_graph_[number] = find_periodic_segments(graph);
    for (const PeriodicSegment& segment : segments_by_graph_[number])
      saved[number] += segment.length - 2 * segment.period;
    if (saved[number] > maximum) {
      maximum = saved[number];
      lead_ = rank;
    }
  }
  if (maximum == 0) return;
  marker_ = segments_of(lead_).front().first;
  parts_.nodes.watch_for(lead_, marker_);
}

const std::vector<PeriodicSegment>& RepetitionSkipper::segments_of(std::uint32_t rank) const {
  return segments_by_graph_[run_.workload.graph_of_rank[run_.real(rank)]];
}

// The lead has started the marker; it can start the next marker in the same tick.
void RepetitionSkipper::pass_marker() {
  is_due_ = true;
  ++markers_;
  move_marker(segments_of(lead_)[segment_].period);
}

// Moves the marker to the first node of a later period, or of another segment, that has not
// started.
void RepetitionSkipper::move_marker(NodeId nodes) {
  const std::vector<PeriodicSegment>& all = segments_of(lead_);
  const RankNodes<NodeTimes> times = run_.shared.times_of(lead_);
  do {
    if (all[segment_].end() - marker_ > nodes) {
      marker_ += nodes;
    } else {
      ++segment_;
      marker_ = segment_ < all.size() ? all[segment_].first : graph::kNoNode;
      markers_ = 0;
      before_.is_valid = false;
      if (run_.observer != nullptr) run_.observer->end_window();
    }
    if (marker_ == graph::kNoNode) break;
    nodes = all[segment_].period;
  } while (times[marker_].start >= 0);
  parts_.nodes.watch_for(lead_, marker_);
}

void RepetitionSkipper::end_tick() {
  is_due_ = false;
  const std::uint64_t distance = markers_ - before_.marker;
  const bool old = !before_.is_valid || distance > markers_ / 4;
  const bool equivalent = is_affordable(0) && before_.is_valid && resembles(before_);
  if (!equivalent && !old) return;
  if (!is_affordable(run_.shared.states.size())) return;
  spent_ += run_.shared.states.size();
  std::uint64_t cost = run_.shared.queues.size();
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    advance_front(run_, rank);
    cost += 16 + (run_.shared.states[rank].finished
                      ? 0
                      : run_.shared.states[rank].reach + 1 - run_.shared.states[rank].front);
  }
  if (!is_affordable(cost)) return;
  spent_ += cost;
  present_.is_valid = take(present_);
  if (equivalent && same_state() && jump()) {
    before_.is_valid = false;
    markers_ = 0;
  } else if (old) {
    std::swap(before_, present_);
    if (run_.observer != nullptr)
      before_.is_valid ? run_.observer->begin_window() : run_.observer->end_window();
  }
}

// Comparisons must not cost more than they are likely to save.
bool RepetitionSkipper::is_affordable(std::uint64_t numbers) const {
  return spent_ + numbers <= kFreeComparisons + kPerEvent * run_.result.events;
}

// Quick check of each rank, beginning with the one that differed last time: whether it has advanced
// by complete periods of one segment, and has as many active nodes as before.
bool RepetitionSkipper::resembles(const Snapshot& before) {
  const auto ranks = static_cast<std::uint32_t>(run_.shared.states.size());
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::uint32_t rank = (last_mismatch_ + i) % ranks;
    advance_front(run_, rank);
    ++spent_;
    const RankState& state = run_.shared.states[rank];
    if (state.finished && before.fronts[rank] == state.front) continue;
    const PeriodicSegment* segment = segment_of(segments_of(rank), before.fronts[rank]);
    const NodeId passed = state.front - before.fronts[rank];
    if (segment != nullptr && passed != 0 && passed % segment->period == 0 &&
        state.reach < segment->end() &&
        state.reach - state.front == before.reaches[rank] - before.fronts[rank]) {
      continue;
    }
    last_mismatch_ = rank;
    return false;
  }
  return true;
}

bool RepetitionSkipper::same_state() const {
  return present_.is_valid && present_.words == before_.words && present_.waits == before_.waits &&
         same_lanes() && same_hosts();
}

bool RepetitionSkipper::same_hosts() const {
  const std::int64_t step = present_.time - before_.time;
  for (std::size_t rank = 0; rank < present_.hosts.size(); ++rank)
    if (!present_.hosts[rank].repeats(before_.hosts[rank], step)) return false;
  return true;
}

// The last node of each lane has advanced with its rank, or is unchanged because no node has used
// the lane.
bool RepetitionSkipper::same_lanes() const {
  std::size_t i = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const NodeId passed = present_.fronts[rank] - before_.fronts[rank];
    for (const ResourceLane& lane : run_.shared.states[rank].lanes) {
      if (lane.unlimited || run_.shared.states[rank].finished) continue;
      const auto [was, then] = before_.lasts[i];
      const auto [is, end] = present_.lasts[i++];
      if (was == is) continue;
      if (was == graph::kNoNode || is - was != passed || end - then != present_.time - before_.time)
        return false;
    }
  }
  return true;
}

// The states at `before_` and now are equal. Skips as many repetitions of the interval between them
// as the graphs contain.
bool RepetitionSkipper::jump() {
  Jump jump;
  jump.step = run_.now() - before_.time;
  if (jump.step <= 0) return false;
  std::int64_t last = run_.now();
  run_.queue.each([&](const Event& event) { last = std::max(last, event.time); });
  jump.repetitions = (model::MultiDimFabric::kTooLong - 1 - last) / jump.step;
  for (std::size_t rank = 0; rank < present_.hosts.size(); ++rank)
    jump.repetitions = std::min(jump.repetitions,
                                present_.hosts[rank].repetitions(before_.hosts[rank], jump.step));
  std::optional<std::int64_t> tags;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const RankState& state = run_.shared.states[rank];
    const NodeId passed = state.front - before_.fronts[rank];
    jump.node_step.push_back(passed);
    if (passed == 0) continue;
    const PeriodicSegment& segment = *segment_of(segments_of(rank), before_.fronts[rank]);
    jump.repetitions =
        std::min<std::int64_t>(jump.repetitions, (segment.end() - 1 - state.reach) / passed);
    if (!segment.messages) continue;
    const std::int64_t tag_step = segment.tag_shift * (passed / segment.period);
    if (tags.value_or(tag_step) != tag_step) return false;
    tags = tag_step;
  }
  jump.tag_step = tags.value_or(0);
  if (jump.repetitions <= 0 || !findings_repeat(run_.result.findings, before_.findings))
    return false;
  for (std::size_t c = 0; c < present_.chunks.size(); ++c)
    jump.chunk_step.push_back(present_.chunks[c] - before_.chunks[c]);
  count_repeats(jump);
  if (run_.observer != nullptr) run_.observer->skip(jump);
  move_nodes(jump);
  move_messages(jump);
  move_times(jump);
  return true;
}

// The jump over repetitions: shifts all pending state in time and in the graphs, and adds the
// results of one repetition once for each skipped one.

using graph::NodeId;

namespace {

std::int64_t saturating_product(std::int64_t a, std::int64_t times) {
  constexpr std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  return a <= maximum / times ? a * times : maximum;
}

// Adds the growth of `value` since `before`, `times` times. Times of one rank stay below the
// maximum of the clock.
void grow(Time& value, Time before, std::int64_t times) { value += (value - before) * times; }

// Counters wrap around as they would in a simulation of each repetition.
void grow(std::uint64_t& value, std::uint64_t before, std::int64_t times) {
  value += (value - before) * static_cast<std::uint64_t>(times);
}

}  // namespace

void RepetitionSkipper::count_repeats(const Jump& jump) {
  const std::int64_t times = jump.repetitions;
  for (std::size_t rank = 0; rank < run_.shared.results.size(); ++rank) {
    RankResult& result = run_.shared.results[rank];
    const RankResult& then = before_.results[rank];
    grow(result.compute, then.compute, times);
    grow(result.overlapped, then.overlapped, times);
    grow(result.comm, then.comm, times);
    grow(result.memory, then.memory, times);
    grow(result.comm_only, then.comm_only, times);
    grow(result.memory_only, then.memory_only, times);
    grow(result.idle, then.idle, times);
    grow(result.sent_bytes, then.sent_bytes, times);
    // Wraps around like the sum itself: the clock does not bound the sum over overlapping nodes.
    std::int64_t& gpu = run_.shared.gpu_time[rank];
    const auto more =
        static_cast<std::uint64_t>(gpu) - static_cast<std::uint64_t>(before_.gpu_time[rank]);
    gpu = static_cast<std::int64_t>(static_cast<std::uint64_t>(gpu) +
                                    more * static_cast<std::uint64_t>(times));
  }
  for (auto& [key, total] : parts_.accounts.totals()) {
    const auto found = before_.totals.find(key);
    const CollectiveTotal then = found == before_.totals.end() ? CollectiveTotal{} : found->second;
    grow(total.operations, then.operations, times);
    grow(total.bytes, then.bytes, times);
    grow(total.sent, then.sent, times);
    const std::int64_t more = saturating_product((total.time - then.time).count(), times);
    total.time = saturating_sum(total.time, Time(more));
  }
  for (const Finding& finding : run_.result.findings.list()) {
    const std::uint64_t more = finding.count - before_.findings.count(finding.code);
    if (more > 0)
      run_.result.findings.add(finding.code, {}, more * static_cast<std::uint64_t>(times));
  }
  grow(run_.result.messages, before_.messages, times);
  grow(run_.result.savings.phases_by_closed_form, before_.phases_by_closed_form, times);
  grow(run_.result.savings.phases_by_messages, before_.phases_by_messages, times);
  run_.result.savings.iterations_skipped +=
      static_cast<std::uint64_t>(times) * (markers_ - before_.marker);
}

// Skipped nodes get the times of the nodes one repetition earlier, plus the duration of a
// repetition. Nodes that have been touched and are not done keep their position in the repetition.
void RepetitionSkipper::move_nodes(const Jump& jump) {
  std::size_t i = 0;  // index in lasts
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    RankState& state = run_.shared.states[rank];
    const NodeId moved = jump.nodes(rank);
    if (moved == 0) continue;
    const RankNodes<std::uint32_t> all = run_.shared.waits_of(rank);
    const NodeId front = state.front;
    const std::vector<std::uint32_t> waits = all.copy(front, state.reach);
    const auto size = static_cast<NodeId>(waits.size());
    // From the last one, so that each is read before another one replaces it.
    for (NodeId place = size; place-- > 0;) {
      if (waits[place] == kDone) continue;
      all[front + moved + place] = waits[place];
      move_node(rank, front + place, jump);
    }
    for (NodeId node = front; node < front + moved + size; ++node) {
      const bool was_done = node - front < size && waits[node - front] == kDone;
      const bool is_done = node < front + moved || waits[node - front - moved] == kDone;
      if (is_done && !was_done) repeat_node(rank, node, jump);
    }
    state.pending_nodes -= moved;
    state.front += moved;
    state.reach += moved;
    state.since += jump.delay();
    for (ResourceLane& lane : state.lanes) {
      if (!lane.unlimited && lane.last != before_.lasts[i++].first) lane.last += moved;
      if (lane.is_busy()) lane.running += moved;
      lane.ready.each([&](NodeId& node) { node += moved; });
    }
  }
}

void RepetitionSkipper::move_node(std::uint32_t rank, NodeId from, const Jump& jump) {
  const NodeId moved = jump.nodes(rank);
  NodeTimes& times = run_.times_of(rank, from + moved);
  times = run_.times_of(rank, from);
  if (times.start >= 0) times.start += jump.delay();
  if (times.released_by != graph::kNoNode) times.released_by += moved;
  if (times.sender != kNone && run_.graph_of(rank).kind(from) == graph::NodeKind::coll)
    repeat_arrival(rank, from + moved, jump, jump.repetitions);
  if (run_.observer != nullptr) run_.observer->move_node(rank, from, from + moved);
}

void RepetitionSkipper::repeat_node(std::uint32_t rank, NodeId node, const Jump& jump) {
  const NodeId step = jump.node_step[rank];
  NodeTimes& times = run_.times_of(rank, node);
  times = run_.times_of(rank, node - step);
  times.start += jump.step;
  times.end += jump.step;
  if (times.released_by != graph::kNoNode) times.released_by += step;
  if (times.sender != kNone && run_.graph_of(rank).kind(node) == graph::NodeKind::coll) {
    repeat_arrival(rank, node, jump, 1);
  } else if (times.sender != kNone) {
    const auto [sender, sent] = parts_.messages.state().senders[times.sender];
    times.sender = static_cast<std::uint32_t>(parts_.messages.state().senders.size());
    parts_.messages.state().senders.emplace_back(sender, sent + jump.node_step[sender]);
  }
  run_.shared.waits_of(rank)[node] = kDone;
  if (run_.observer != nullptr) run_.observer->repeat_node(rank, node, step);
}

// Moves a collective and its arrival time by `times` repetitions.
void RepetitionSkipper::repeat_arrival(std::uint32_t rank, NodeId node, const Jump& jump,
                                       std::int64_t times) {
  NodeTimes& ran = run_.times_of(rank, node);
  const std::uint32_t communicator = parts_.collectives.known_communicator(rank, node);
  ran.sender += static_cast<std::uint32_t>(times) * jump.chunk_step[communicator];
  run_.shared.arrivals[communicator].arrive(ran.sender, ran.start);
}

// Moves the waiting nodes and tags. (Unused entries move too; they are never read.)
void RepetitionSkipper::move_messages(const Jump& jump) {
  for (CollectiveOp& op : parts_.collectives.operations()) op.node += jump.nodes(op.rank);
  for (std::size_t c = 0; c < jump.chunk_step.size(); ++c)
    run_.shared.arrivals[c].skip(static_cast<std::uint32_t>(jump.repetitions) * jump.chunk_step[c]);
  for (Receive& receive : parts_.messages.state().receives) {
    receive.who.node += jump.nodes(receive.who.rank);
    receive.key.tag = jump.tag(receive.key.tag);
    if (receive.since >= 0) receive.since += jump.delay();
  }
  for (P2pMessage& message : parts_.messages.state().messages) {
    message.sender.node += jump.nodes(message.sender.rank);
    message.key.tag = jump.tag(message.key.tag);
  }
  if (jump.tag_step == 0) return;
  const Mailboxes old = std::exchange(parts_.messages.state().mailboxes, {});
  for (const Mailboxes::Entry& entry : old.entries()) {
    if (!entry.used) continue;
    MessageKey key = entry.key;
    key.tag = jump.tag(key.tag);
    parts_.messages.state().mailboxes.at(key) = entry.box;
  }
}

void RepetitionSkipper::move_times(const Jump& jump) {
  for (std::size_t rank = 0; rank < run_.shared.hosts.size(); ++rank) {
    run_.shared.hosts[rank].skip(before_.hosts[rank], jump.step, jump.repetitions);
  }
  for (std::uint32_t rank = 0; rank < run_.shared.kernel_interference.size(); ++rank) {
    for (InterferenceState::Kernel& kernel : run_.shared.kernel_interference[rank].kernels) {
      kernel.node += jump.nodes(rank);
      for (std::int64_t* time : {&kernel.since, &kernel.end, &kernel.wakes, &kernel.begun}) *time += jump.delay();
    }
  }
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    for (const auto& [time, event] : parts_.local_events.pending(rank)) {
      if (event->kind != LocalEventKind::begins) event->arg += jump.nodes(rank);
    }
    parts_.local_events.shift(rank, jump.delay());
  }
  for (std::uint32_t number = 0; number < parts_.chunks.count(); ++number) {
    Chunk& block = parts_.chunks[number];
    for (RingArrival& arrival : block.ring_arrivals) arrival.first += jump.delay();
    if (block.streams.empty()) continue;
    for (std::uint32_t representative = 0; representative < block.representatives;
         ++representative) {
      block.streams[representative].since += jump.delay();
    }
  }
  run_.queue.shift(jump.delay());
  if (marker_ != graph::kNoNode) move_marker(jump.nodes(lead_));
}

}  // namespace orrery::sim
