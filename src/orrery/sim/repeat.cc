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
#include "orrery/sim/repeat.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "orrery/sim/nodes.h"
#include "orrery/sim/run.h"
#include "orrery/sim/savings.h"

namespace orrery::sim {

using graph::NodeId;

namespace {

constexpr std::uint64_t kFreely = 1 << 15;  // numbers looked at, whatever it saves
constexpr std::uint64_t kPerEvent = 1;      // and so many more for each event

/// The stretch that the node is in, or null.
const Stretch* stretch_of(const std::vector<Stretch>& all, NodeId node) {
  const auto after = std::upper_bound(all.begin(), all.end(), node,
                                      [](NodeId n, const Stretch& s) { return n < s.first; });
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
void Repeater::set_up() {
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
    of_graph_[number] = repeating_stretches(graph);
    for (const Stretch& stretch : of_graph_[number])
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

const std::vector<Stretch>& Repeater::stretches_of(std::uint32_t rank) const {
  return of_graph_[run_.workload.graph_of_rank[run_.real(rank)]];
}

// The lead has started the node that was to be next; it may start the following one in this tick.
void Repeater::pass_marker() {
  due_ = true;
  ++markers_;
  move_marker(stretches_of(lead_)[stretch_].period);
}

// To the first node of a later period, or of another stretch, that has not been started.
void Repeater::move_marker(NodeId nodes) {
  const std::vector<Stretch>& all = stretches_of(lead_);
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
void Repeater::tick_over() {
  due_ = false;
  const std::uint64_t apart = markers_ - before_.marker;
  const bool old = !before_.taken || apart > markers_ / 4;
  const bool alike = affordable(0) && before_.taken && resembles(before_);
  if (!alike && !old) return;
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
  if (alike && same_state() && jump()) {
    before_.taken = false;
    markers_ = 0;
  } else if (old) {
    std::swap(before_, present_);
  }
}

// Comparing must not cost more than it is likely to save.
bool Repeater::affordable(std::uint64_t numbers) const {
  return spent_ + numbers <= kFreely + kPerEvent * run_.result.events;
}

// A glance at each rank, first at the one that was unlike last time: whether it has gone on by
// whole periods of one stretch, and holds as many nodes as then.
bool Repeater::resembles(const Snapshot& before) {
  const auto ranks = static_cast<std::uint32_t>(run_.shared.states.size());
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::uint32_t rank = (suspect_ + i) % ranks;
    pass_done(run_.shared.states[rank]);
    ++spent_;
    const RankState& state = run_.shared.states[rank];
    if (state.finished && before.fronts[rank] == state.front) continue;
    const Stretch* stretch = stretch_of(stretches_of(rank), before.fronts[rank]);
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

bool Repeater::same_state() const {
  return present_.taken && present_.words == before_.words && present_.waits == before_.waits &&
         same_lanes() && same_hosts();
}

bool Repeater::same_hosts() const {
  const std::int64_t step = present_.time - before_.time;
  for (std::size_t rank = 0; rank < present_.hosts.size(); ++rank)
    if (!present_.hosts[rank].repeats(before_.hosts[rank], step)) return false;
  return true;
}

// Who left a lane last has moved on with its rank, or is still the same: then no node has asked.
bool Repeater::same_lanes() const {
  std::size_t i = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const NodeId gone = present_.fronts[rank] - before_.fronts[rank];
    for (const Lane& lane : run_.shared.states[rank].lanes) {
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
bool Repeater::jump() {
  Jump jump;
  jump.step = run_.now() - before_.time;
  if (jump.step <= 0) return false;
  std::int64_t last = run_.now();
  run_.queue.each([&](const Event& event) { last = std::max(last, event.time); });
  jump.times = (model::Fabric::kTooLong - 1 - last) / jump.step;
  for (std::size_t rank = 0; rank < present_.hosts.size(); ++rank)
    jump.times =
        std::min(jump.times, present_.hosts[rank].repetitions(before_.hosts[rank], jump.step));
  std::optional<std::int64_t> tags;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    const RankState& state = run_.shared.states[rank];
    const NodeId gone = state.front - before_.fronts[rank];
    jump.node_step.push_back(gone);
    if (gone == 0) continue;
    const Stretch& stretch = *stretch_of(stretches_of(rank), before_.fronts[rank]);
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

}  // namespace orrery::sim
