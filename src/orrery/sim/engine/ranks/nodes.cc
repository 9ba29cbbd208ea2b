// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/ranks/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {

constexpr std::size_t kAhead = 4;  // ranks between loading into the cache and use
constexpr std::uint64_t kCpuLane = 0, kComputeLane = 1, kCommLane = 2, kLoadLane = 3,
                        kStoreLane = 4, kFreeLane = 5;
constexpr std::uint64_t kGroupLanes = 16;  // Orrery rules: one lane per process group …
constexpr std::uint64_t kSendLanes = std::uint64_t{1} << 32;  // … one per receiver of sends …
constexpr std::uint64_t kRecordedLanes = std::uint64_t{1} << 33;  // … and one per recorded stream

}  // namespace

// The resource that a node needs. ASTRA rules have CPU, compute and "communication" (collectives,
// sends, memory, everything else), each of capacity one; receives never wait. Orrery rules have one
// stream for each group, each receiver, loads, and stores; computation uses its recorded stream, if
// known. Sends that overlap others of their stream (graph::Lane::row) never wait. A host has many
// threads, which dependencies keep in order. That includes host communication with recorded
// durations.
inline std::pair<std::uint64_t, bool> Nodes::lane_of(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  if (graph.kind(node) == NodeKind::comp && !graph.is_cpu(node)) {
    const std::uint32_t lane = graph.lane(node);
    if (lane == graph::kNoLane || !run_.policy.knows_recordings) return {kComputeLane, false};
    return {kRecordedLanes + lane, false};
  }
  return other_lane_of(rank, node);
}

std::pair<std::uint64_t, bool> Nodes::other_lane_of(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  const NodeKind kind = graph.kind(node);
  if (kind == NodeKind::recv) return {kFreeLane, true};
  if (graph.is_cpu(node) && run_.policy.one_lane_for_communication) return {kCpuLane, false};
  if (kind == NodeKind::metadata && !run_.policy.one_lane_for_communication)
    return {kFreeLane, true};
  if (graph.is_cpu(node) && (kind == NodeKind::comp || takes_recorded_time(rank, node)))
    return {kFreeLane, true};
  if (kind == NodeKind::comp) return {kComputeLane, false};
  if (run_.policy.one_lane_for_communication) return {kCommLane, false};
  if (run_.options.replay && kind != NodeKind::mem_load && kind != NodeKind::mem_store)
    return {kFreeLane, true};  // edges define the order, and one kernel can carry several messages
  if (run_.policy.knows_recordings && graph.lane(node) != graph::kNoLane &&
      takes_recorded_time(rank, node))
    return {kRecordedLanes + graph.lane(node), false};
  switch (kind) {
    case NodeKind::coll:
      return {kGroupLanes + static_cast<std::uint32_t>(graph.collective(node).group), false};
    case NodeKind::send:
      if (run_.policy.knows_recordings && graph.lane(node) != graph::kNoLane &&
          graph.lanes()[graph.lane(node)].row != 0)
        return {kFreeLane, true};
      return {kSendLanes + static_cast<std::uint32_t>(graph.message(node, run_.real(rank)).dst),
              false};
    case NodeKind::mem_load:
      return {kLoadLane, false};
    case NodeKind::mem_store:
      return {kStoreLane, false};
    default:
      return {kFreeLane, true};
  }
}

bool Nodes::takes_recorded_time(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  if (run_.platform.replay_only) return true;
  if (graph.kind(node) != NodeKind::coll) return false;
  // Recorded traces contain collectives without type or size.
  if (!graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize)) return true;
  if (graph.duration(node) <= Time{}) return false;
  // A collective of a rank without its peers' traces: not simulated, but it lasts its recorded
  // time.
  std::uint32_t group = 0;
  if (const std::string_view name = graph.string(graph.collective(node).group); !name.empty()) {
    group = run_.communicators.find(name, run_.real(rank));
    if (group >= Communicators::kOutside) return false;
  }
  const Communicator& alone = run_.communicators[group];
  return alone.members == 1 && alone.place(run_.real(rank)) != kNone;
}

void Nodes::make_ready(std::uint32_t rank, NodeId node) {
  RankState& state = run_.shared.states[rank];
  const auto [key, unlimited] = lane_of(rank, node);
  auto lane = std::find_if(state.lanes.begin(), state.lanes.end(),
                           [k = key](const ResourceLane& l) { return l.key == k; });
  if (lane == state.lanes.end()) {
    state.lanes.push_back({key, unlimited});
    lane = state.lanes.end() - 1;
  }
  lane->ready.push(node);
}

std::optional<std::pair<ResourceLane*, NodeId>> Nodes::next_ready(RankState& state) {
  ResourceLane* best = nullptr;
  NodeId node = graph::kNoNode;
  for (ResourceLane& lane : state.lanes) {
    if (lane.ready.front() >= node || lane.is_busy()) continue;
    best = &lane;
    node = lane.ready.front();
  }
  if (best == nullptr) return std::nullopt;
  best->ready.pop();
  if (!best->unlimited) best->running = node;
  return std::pair{best, node};
}

// Orrery rules: `node` could not start before `by` had ended. See settle_releases.
inline void Nodes::note_release(std::uint32_t rank, NodeId node, NodeId by) {
  if (run_.pages != nullptr) return;
  const RankNodes<NodeTimes> times = run_.shared.times_of(rank);
  NodeId& known = times[node].released_by;
  if (known == graph::kNoNode) {
    known = by;
    return;
  }
  // For a node with lags, `end` contains the earliest start until the node begins.
  const std::int64_t ready = times[node].end >= 0 ? times[node].end : times[known].end;
  if (ready < times[by].end || (ready == times[by].end && by < known)) known = by;
}

// Starts every ready node whose resource is free, lowest id first. Nodes released by nodes that end
// at once start in a second pass, as with ASTRA-sim's next callback.
void Nodes::issue(std::uint32_t rank) {
  RankState& state = run_.shared.states[rank];
  if (state.issuing) return;
  state.issuing = true;
  do {
    if (!state.freed.empty()) {
      for (const NodeId node : std::exchange(state.freed, {})) make_ready(rank, node);
    }
    while (!run_.error) {
      const auto next = next_ready(state);
      if (!next) break;
      const auto [lane, node] = *next;
      if (!lane->ready.empty() && run_.prefetches()) executor_.prefetch(rank, lane->ready.front());
      if (!run_.policy.first_come && !lane->unlimited && lane->last != graph::kNoNode)
        note_release(rank, node, lane->last);
      start(rank, node);
    }
  } while (!state.freed.empty() && !run_.error);
  state.issuing = false;
  check_finished(rank);
}

void Nodes::wake(std::uint32_t rank) {
  if (run_.policy.first_come) return issue(rank);
  RankState& state = run_.shared.states[rank];
  if (state.unsettled || state.issuing) return;
  state.unsettled = true;
  unsettled_.push_back(rank);
}

void Nodes::start(std::uint32_t rank, NodeId node) {
  const std::int64_t wait = run_.shared.hosts.empty() ? 0 : executor_.launch(rank, node);
  if (wait == 0) return start_now(rank, node);
  local_events_.at(rank, wait, {.arg = node, .kind = LocalEventKind::node_launched});
}

void Nodes::launched(std::uint32_t rank, NodeId node) {
  start_now(rank, node);
  wake(rank);
}

void Nodes::start_now(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  NodeTimes& times = run_.times_of(rank, node);
  times.start = run_.now();
  times.end = -1;
  if (node == watched_ && rank == watched_rank_) executor_.on_watched_start();
  if (run_.policy.first_come) times.released_by = releasing_;
  const NodeKind kind = graph.kind(node);
  // The reference replays nodes of every kind, and the shortest time of one is a cycle.
  const bool replayed = run_.policy.one_lane_for_communication && run_.platform.replay_only;
  if (!replayed && (kind == NodeKind::invalid || kind == NodeKind::metadata))
    return retire(rank, node, true);
  if (run_.policy.one_lane_for_communication && graph.is_cpu(node) && kind != NodeKind::comp &&
      !run_.platform.replay_only) {
    return run_.fail(
        {Errc::input_corrupt, run_.place(rank, node),
         fmt::format("a {} node is marked is_cpu_op", graph::name(kind)),
         "communication and memory nodes run on the accelerator: remove the attribute"});
  }
  accounting_.account(rank);
  accounting_.count_node(rank, node, +1);
  executor_.begin(rank, node);
}

void Nodes::complete(std::uint32_t rank, NodeId node) {
  if (run_.error) return;
  const NodeId before = std::exchange(releasing_, node);
  retire(rank, node, run_.shared.states[rank].issuing);
  wake(rank);
  releasing_ = before;
}

void Nodes::retire(std::uint32_t rank, NodeId node, bool at_once) {
  RankState& state = run_.shared.states[rank];
  const graph::Graph& graph = run_.graph_of(rank);
  run_.times_of(rank, node).end = run_.now();
  if (!run_.shared.hosts.empty()) executor_.end_launches(rank, node);
  if (graph.kind(node) != NodeKind::invalid && graph.kind(node) != NodeKind::metadata) {
    accounting_.account(rank);
    accounting_.count_node(rank, node, -1);
  }
  for (ResourceLane& lane : state.lanes) {
    if (lane.running != node) continue;
    lane.running = graph::kNoNode;
    lane.last = node;
    break;
  }
  --state.pending_nodes;
  if (run_.pages != nullptr) return release_successors(rank, node, at_once);
  const RankNodes<std::uint32_t> waits = run_.shared.waits_of(rank);
  const RankNodes<NodeTimes> times = run_.shared.times_of(rank);
  waits[node] = kDone;
  const auto successors = graph.successors(node);
  if (!successors.empty()) state.reach = std::max(state.reach, successors.back());
  if (graph.has_lags() && run_.policy.knows_recordings)
    return release_after_lags(rank, node, at_once);
  for (const NodeId next : successors) {
    if (--waits[next] != 0) continue;
    if (!run_.policy.first_come) times[next].released_by = node;
    if (at_once) {
      state.freed.push_back(next);
    } else {
      make_ready(rank, next);
    }
  }
}

// The end of `retire` for graphs with lags. Until a node begins, NodeTimes::end is its earliest
// start.
void Nodes::release_after_lags(std::uint32_t rank, NodeId node, bool at_once) {
  RankState& state = run_.shared.states[rank];
  const graph::Graph& graph = run_.graph_of(rank);
  const auto successors = graph.successors(node);
  const auto lags = graph.lags(node);
  for (std::size_t i = 0; i < successors.size(); ++i) {
    const NodeId next = successors[i];
    NodeTimes& times = run_.times_of(rank, next);
    const std::int64_t ready = lags[i] == Time{} ? run_.now() : run_.after(lags[i].count());
    if (ready > times.end || times.released_by == graph::kNoNode) {
      times.end = std::max(times.end, ready);
      times.released_by = node;
    }
    if (run_.pages != nullptr ? !run_.pages->satisfy(rank, next)
                              : --run_.shared.waits_of(rank)[next] != 0)
      continue;
    if (times.end > run_.now()) {
      local_events_.at(rank, times.end - run_.now(),
                       {.arg = next, .kind = LocalEventKind::node_ready});
    } else if (at_once) {
      state.freed.push_back(next);
    } else {
      make_ready(rank, next);
    }
  }
  if (run_.pages != nullptr) run_.pages->end(rank, node);
}

void Nodes::becomes_ready(std::uint32_t rank, NodeId node) {
  make_ready(rank, node);
  wake(rank);
}

// The end of `retire` if times are not stored.
void Nodes::release_successors(std::uint32_t rank, NodeId node, bool at_once) {
  if (run_.graph_of(rank).has_lags() && run_.policy.knows_recordings)
    return release_after_lags(rank, node, at_once);
  for (const NodeId next : run_.graph_of(rank).successors(node)) {
    if (!run_.pages->satisfy(rank, next)) continue;
    if (at_once) {
      run_.shared.states[rank].freed.push_back(next);
    } else {
      make_ready(rank, next);
    }
  }
  run_.pages->end(rank, node);
}

void Nodes::check_finished(std::uint32_t rank) {
  RankState& state = run_.shared.states[rank];
  if (state.pending_nodes != 0 || state.finished || run_.error) return;
  state.finished = true;
  accounting_.account(rank);
  run_.shared.results[rank].finish = Time(run_.now());
  finished_ += run_.weight(rank);
  if (run_.options.progress && !run_.in_a_part)
    run_.options.progress(finished_, run_.result.messages);
}

void Nodes::begin_rank(std::uint32_t rank) {
  const auto waits = run_.graph_of(rank).in_degrees();
  for (graph::NodeId node = 0; node < waits.size(); ++node) {
    if (waits[node] == 0) make_ready(rank, node);
  }
  run_.graph_of(rank).release();
  releasing_ = graph::kNoNode;
  if (const Time late = run_.shared.deviations.start(run_.real(rank)); late > Time{}) {
    local_events_.at(rank, late.count(), {.kind = LocalEventKind::begins});
  } else {
    wake(rank);
  }
}

// The values of ranks with one graph are stored side by side (NodeLayout), and are read so.
void Nodes::settle_releases_of_first(const std::vector<std::uint32_t>& first_of) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_graph;
  for (std::uint32_t rank = 0; rank < first_of.size(); ++rank) {
    if (first_of[rank] != rank) continue;
    std::vector<std::uint32_t>& ranks = by_graph[run_.workload.graph_of_rank[run_.real(rank)]];
    ranks.push_back(rank);
    if (ranks.size() == NodeLayout::kTile) settle_releases(std::exchange(ranks, {}));
  }
  for (const auto& [graph, ranks] : by_graph) {
    if (!ranks.empty()) settle_releases(ranks);
  }
}

void Nodes::settle_releases(const std::vector<std::uint32_t>& ranks) {
  const graph::Graph& graph = run_.graph_of(ranks.front());
  std::vector<RankNodes<NodeTimes>> all;
  for (const std::uint32_t rank : ranks) all.push_back(run_.shared.times_of(rank));
  const auto lag = [&](NodeId from, NodeId to) {
    const std::uint32_t edge = graph.has_lags() ? graph.edge(from, to) : graph::kNoNode;
    return edge == graph::kNoNode ? 0 : graph.lags(from)[edge].count();
  };
  for (NodeId node = 0; node < graph.size(); ++node) {
    for (const NodeId next : graph.successors(node)) {
      for (const RankNodes<NodeTimes>& times : all) {
        NodeId& known = times[next].released_by;
        if (known != graph::kNoNode && node < known &&
            times[node].end + lag(node, next) == times[known].end + lag(known, next))
          known = node;
      }
    }
  }
}

// Loads into the cache what starting the nodes of the rank will read.
void Nodes::prefetch_ready(std::uint32_t rank) {
  for (const ResourceLane& lane : run_.shared.states[rank].lanes)
    if (!lane.ready.empty() && !lane.is_busy()) executor_.prefetch(rank, lane.ready.front());
}

bool Nodes::settle() {
  if (unsettled_.empty()) return false;
  settling_.swap(unsettled_);
  if (!std::is_sorted(settling_.begin(), settling_.end()))
    std::sort(settling_.begin(), settling_.end());
  const bool prefetches = run_.prefetches();
  for (std::size_t i = 0; i < settling_.size(); ++i) {
    if (prefetches && i + kAhead < settling_.size()) prefetch_ready(settling_[i + kAhead]);
    const std::uint32_t rank = settling_[i];
    run_.shared.states[rank].unsettled = false;
    run_.jobs.set_current(rank);
    issue(rank);
  }
  settling_.clear();
  return true;
}

}  // namespace orrery::sim
