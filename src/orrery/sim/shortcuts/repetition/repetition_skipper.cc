// SPDX-License-Identifier: Apache-2.0
//
// Iterations that repeat the one before are not simulated. Under Orrery rules a run is a function
// of its state at the end of a tick. When that state is what it was some markers ago, but for a
// shift in time and of each rank in its graph, and the graphs go on as they did, then what follows
// is what followed then: so often as the graphs repeat, the run jumps.
//
// Markers are compared with one that is replaced when the distance has grown to a quarter of their
// number: so a cycle of any number of periods is found, and what came before it is forgotten (as in
// Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980, section 2).
#include "orrery/sim/shortcuts/repetition/repetition_skipper.h"

#include <algorithm>
#include <limits>
#include <utility>

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

constexpr std::uint64_t kFreely = 1 << 15;  // numbers looked at, whatever it saves
constexpr std::uint64_t kPerEvent = 1;      // and so many more for each event

/// The stretch that the node is in, or null.
const PeriodicSegment* stretch_of(const std::vector<PeriodicSegment>& all, NodeId node) {
  const auto after = std::upper_bound(
      all.begin(), all.end(), node, [](NodeId n, const PeriodicSegment& s) { return n < s.first; });
  if (after == all.begin() || (after - 1)->end() <= node) return nullptr;
  return &*(after - 1);
}

// Findings count on, but the first few of a kind say where they were: those are simulated.
bool findings_repeat(const Findings& now, const Findings& before) {
  const auto all = now.list();
  return std::all_of(all.begin(), all.end(), [&](const Finding& finding) {
    const std::uint64_t count = before.count(finding.code);
    return count == finding.count || count >= Findings::kPlaces;
  });
}

/// Moves `front` past nodes that have ended.
void pass_done(RankState& state) {
  while (state.front < state.waits.size() && state.waits[state.front] == kDone) ++state.front;
}

}  // namespace

// The rank leads whose graph has most to skip.
void RepetitionSkipper::set_up() {
  if (!why_not_skip(run_.workload, run_.platform, run_.network.traits(), run_.options).empty())
    return;
  of_graph_.resize(run_.workload.graphs.size());
  std::vector<std::uint64_t> saved(run_.workload.graphs.size(),
                                   std::numeric_limits<std::uint64_t>::max());
  std::uint64_t most = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const std::uint32_t number = run_.workload.graph_of_rank[run_.real(rank)];
    const graph::Graph& graph = run_.graph_of(rank);
    const auto waits = graph.in_degrees();
    for (NodeId node = 0; node < graph.size(); ++node) {
      if (waits[node] == 0) run_.shared.states[rank].reach = node;
    }
    if (saved[number] != std::numeric_limits<std::uint64_t>::max()) continue;
    saved[number] = 0;
    of_graph_[number] = find_periodic_segments(graph);
    for (const PeriodicSegment& stretch : of_graph_[number])
      saved[number] += stretch.length - 2 * stretch.period;
    if (saved[number] > most) {
      most = saved[number];
      lead_ = rank;
    }
  }
  if (most == 0) return;
  marker_ = stretches_of(lead_).front().first;
  parts_.nodes.watch_for(lead_, marker_);
}

const std::vector<PeriodicSegment>& RepetitionSkipper::stretches_of(std::uint32_t rank) const {
  return of_graph_[run_.workload.graph_of_rank[run_.real(rank)]];
}

// The lead has started the node that was to be next; it may start the following one in this tick.
void RepetitionSkipper::pass_marker() {
  due_ = true;
  ++markers_;
  move_marker(stretches_of(lead_)[stretch_].period);
}

// To the first node of a later period, or of another stretch, that has not been started.
void RepetitionSkipper::move_marker(NodeId nodes) {
  const std::vector<PeriodicSegment>& all = stretches_of(lead_);
  const NodeTimes* times = &run_.shared.times[run_.shared.first_times[lead_]];
  do {
    if (all[stretch_].end() - marker_ > nodes) {
      marker_ += nodes;
    } else {
      ++stretch_;
      marker_ = stretch_ < all.size() ? all[stretch_].first : graph::kNoNode;
      markers_ = 0;
      before_.taken = false;
    }
    if (marker_ == graph::kNoNode) break;
    nodes = all[stretch_].period;
  } while (times[marker_].start >= 0);
  parts_.nodes.watch_for(lead_, marker_);
}

// The tick is over in which a marker was passed.
void RepetitionSkipper::end_tick() {
  due_ = false;
  const std::uint64_t apart = markers_ - before_.marker;
  const bool old = !before_.taken || apart > markers_ / 4;
  const bool equivalent = affordable(0) && before_.taken && resembles(before_);
  if (!equivalent && !old) return;
  if (!affordable(run_.shared.states.size())) return;
  spent_ += run_.shared.states.size();
  std::uint64_t cost = run_.shared.queues.size();
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    pass_done(run_.shared.states[rank]);
    cost += 16 + (run_.shared.states[rank].finished
                      ? 0
                      : run_.shared.states[rank].reach + 1 - run_.shared.states[rank].front);
  }
  if (!affordable(cost)) return;
  spent_ += cost;
  present_.taken = take(present_);
  if (equivalent && same_state() && jump()) {
    before_.taken = false;
    markers_ = 0;
  } else if (old) {
    std::swap(before_, present_);
  }
}

// Comparing must not cost more than it is likely to save.
bool RepetitionSkipper::affordable(std::uint64_t numbers) const {
  return spent_ + numbers <= kFreely + kPerEvent * run_.result.events;
}

// A glance at each rank, first at the one that was unlike last time: whether it has gone on by
// whole periods of one stretch, and holds as many nodes as then.
bool RepetitionSkipper::resembles(const Snapshot& before) {
  const auto ranks = static_cast<std::uint32_t>(run_.shared.states.size());
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::uint32_t rank = (suspect_ + i) % ranks;
    pass_done(run_.shared.states[rank]);
    ++spent_;
    const RankState& state = run_.shared.states[rank];
    if (state.finished && before.fronts[rank] == state.front) continue;
    const PeriodicSegment* stretch = stretch_of(stretches_of(rank), before.fronts[rank]);
    const NodeId gone = state.front - before.fronts[rank];
    if (stretch != nullptr && gone != 0 && gone % stretch->period == 0 &&
        state.reach < stretch->end() &&
        state.reach - state.front == before.reaches[rank] - before.fronts[rank]) {
      continue;
    }
    suspect_ = rank;
    return false;
  }
  return true;
}

bool RepetitionSkipper::same_state() const {
  return present_.taken && present_.words == before_.words && present_.waits == before_.waits &&
         same_lanes() && same_hosts();
}

bool RepetitionSkipper::same_hosts() const {
  const std::int64_t step = present_.time - before_.time;
  for (std::size_t rank = 0; rank < present_.hosts.size(); ++rank)
    if (!present_.hosts[rank].repeats(before_.hosts[rank], step)) return false;
  return true;
}

// Who left a lane last has moved on with its rank, or is still the same: then no node has asked.
bool RepetitionSkipper::same_lanes() const {
  std::size_t i = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const NodeId gone = present_.fronts[rank] - before_.fronts[rank];
    for (const ResourceLane& lane : run_.shared.states[rank].lanes) {
      if (lane.unlimited || run_.shared.states[rank].finished) continue;
      const auto [was, then] = before_.lasts[i];
      const auto [is, end] = present_.lasts[i++];
      if (was == is) continue;
      if (was == graph::kNoNode || is - was != gone || end - then != present_.time - before_.time)
        return false;
    }
  }
  return true;
}

// The states at `before` and now are equal. Skips as many repetitions of what lies between as the
// graphs have.
bool RepetitionSkipper::jump() {
  Jump jump;
  jump.step = run_.now() - before_.time;
  if (jump.step <= 0) return false;
  std::int64_t last = run_.now();
  run_.queue.each([&](const Event& event) { last = std::max(last, event.time); });
  jump.times = (model::MultiDimFabric::kTooLong - 1 - last) / jump.step;
  for (std::size_t rank = 0; rank < present_.hosts.size(); ++rank)
    jump.times =
        std::min(jump.times, present_.hosts[rank].repetitions(before_.hosts[rank], jump.step));
  std::optional<std::int64_t> tags;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const RankState& state = run_.shared.states[rank];
    const NodeId gone = state.front - before_.fronts[rank];
    jump.node_step.push_back(gone);
    if (gone == 0) continue;
    const PeriodicSegment& stretch = *stretch_of(stretches_of(rank), before_.fronts[rank]);
    jump.times = std::min<std::int64_t>(jump.times, (stretch.end() - 1 - state.reach) / gone);
    if (!stretch.messages) continue;
    const std::int64_t tag_step = stretch.tag_shift * (gone / stretch.period);
    if (tags.value_or(tag_step) != tag_step) return false;
    tags = tag_step;
  }
  jump.tag_step = tags.value_or(0);
  if (jump.times <= 0 || !findings_repeat(run_.result.findings, before_.findings)) return false;
  for (std::size_t c = 0; c < present_.chunks.size(); ++c)
    jump.chunk_step.push_back(present_.chunks[c] - before_.chunks[c]);
  count_repeats(jump);
  move_nodes(jump);
  move_messages(jump);
  move_times(jump);
  return true;
}

// A run jumps over repetitions: everything that is to come moves on in time and in the graphs, and
// what one repetition added to the results is added once for each of them.

using graph::NodeId;

namespace {

std::int64_t saturating_product(std::int64_t a, std::int64_t times) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a <= most / times ? a * times : most;
}

// What a Time grew by, times over. Times of one rank stay below the clock's end.
void grow(Time& value, Time before, std::int64_t times) { value += (value - before) * times; }

// Counters wrap around as they would have done one by one.
void grow(std::uint64_t& value, std::uint64_t before, std::int64_t times) {
  value += (value - before) * static_cast<std::uint64_t>(times);
}

}  // namespace

void RepetitionSkipper::count_repeats(const Jump& jump) {
  const std::int64_t times = jump.times;
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
    // Wraps around like the sum itself would: nodes that overlap are not bounded by the clock.
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
  grow(run_.result.savings.phases_by_closed_form, before_.worked_out, times);
  grow(run_.result.savings.phases_by_messages, before_.by_messages, times);
  run_.result.savings.iterations_skipped +=
      static_cast<std::uint64_t>(times) * (markers_ - before_.marker);
}

// Nodes that are skipped ran when those one repetition before them did, and one repetition later.
// What has been touched and is not done keeps its place in the repetition.
void RepetitionSkipper::move_nodes(const Jump& jump) {
  std::size_t i = 0;  // in lasts
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    RankState& state = run_.shared.states[rank];
    const NodeId moved = jump.nodes(rank);
    if (moved == 0) continue;
    NodeTimes* times = &run_.shared.times[run_.shared.first_times[rank]];
    const NodeId front = state.front;
    const std::vector<std::uint32_t> waits(state.waits.begin() + front,
                                           state.waits.begin() + state.reach + 1);
    const std::vector<NodeTimes> retained(times + front, times + state.reach + 1);
    const auto size = static_cast<NodeId>(waits.size());
    for (NodeId node = front; node < front + moved + size; ++node) {
      const bool was_done = node - front < size && waits[node - front] == kDone;
      const NodeId place = node - front - moved;  // among those kept; only when it moves there
      const bool is_done = node < front + moved || waits[place] == kDone;
      if (is_done && !was_done) repeat_node(rank, node, jump);
      if (is_done) continue;
      state.waits[node] = waits[place];
      times[node] = retained[place];
      if (times[node].start >= 0) times[node].start += jump.delay();
      if (times[node].released_by != graph::kNoNode) times[node].released_by += moved;
      if (times[node].sender != kNone && run_.graph_of(rank).kind(node) == graph::NodeKind::coll)
        repeat_arrival(rank, node, jump, jump.times);
    }
    state.left -= moved;
    state.front += moved;
    state.reach += moved;
    state.since += jump.delay();
    for (ResourceLane& lane : state.lanes) {
      if (!lane.unlimited && lane.last != before_.lasts[i++].first) lane.last += moved;
      for (NodeId& node : lane.ready) node += moved;
    }
  }
}

void RepetitionSkipper::repeat_node(std::uint32_t rank, NodeId node, const Jump& jump) {
  const NodeId step = jump.node_step[rank];
  NodeTimes& times = run_.shared.times[run_.shared.first_times[rank] + node];
  times = run_.shared.times[run_.shared.first_times[rank] + node - step];
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
  run_.shared.states[rank].waits[node] = kDone;
}

// A collective has moved on, with its time, by so many repetitions.
void RepetitionSkipper::repeat_arrival(std::uint32_t rank, NodeId node, const Jump& jump,
                                       std::int64_t times) {
  NodeTimes& ran = run_.shared.times[run_.shared.first_times[rank] + node];
  const std::uint32_t communicator = parts_.collectives.known_communicator(rank, node);
  ran.sender += static_cast<std::uint32_t>(times) * jump.chunk_step[communicator];
  run_.shared.arrivals[communicator].come(ran.sender, ran.start);
}

// Who waits for what: nodes and tags. (Entries that are not in use move too; nobody looks at them.)
void RepetitionSkipper::move_messages(const Jump& jump) {
  for (CollectiveOp& op : parts_.collectives.operations()) op.node += jump.nodes(op.rank);
  for (std::size_t c = 0; c < jump.chunk_step.size(); ++c)
    run_.shared.arrivals[c].skip(static_cast<std::uint32_t>(jump.times) * jump.chunk_step[c]);
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
    run_.shared.hosts[rank].skip(before_.hosts[rank], jump.step, jump.times);
  }
  for (std::uint32_t rank = 0; rank < run_.shared.kernel_interference.size(); ++rank) {
    for (InterferenceState::Kernel& kernel : run_.shared.kernel_interference[rank].kernels) {
      kernel.node += jump.nodes(rank);
      for (std::int64_t* time : {&kernel.since, &kernel.end, &kernel.begun}) *time += jump.delay();
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
    for (RingArrival& gathering : block.ring_arrivals) gathering.first += jump.delay();
    if (block.streams.empty()) continue;
    for (std::uint32_t player = 0; player < block.players; ++player) {
      block.streams[player].since += jump.delay();
    }
  }
  run_.queue.shift(jump.delay());
  if (marker_ != graph::kNoNode) move_marker(jump.nodes(lead_));
}

}  // namespace orrery::sim
