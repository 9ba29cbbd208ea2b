// SPDX-License-Identifier: Apache-2.0
//
// Nodes: which may run, what they take, what their end sets free.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "orrery/model/compute/roofline.h"
#include "orrery/sim/engine.h"

namespace orrery::sim {

using graph::CollectiveType;
using graph::NodeId;
using graph::NodeKind;

namespace {

constexpr std::uint64_t kCpuLane = 0, kComputeLane = 1, kCommLane = 2, kMemoryLane = 3,
                        kFreeLane = 4;
constexpr std::uint64_t kGroupLanes = 16;  // Orrery rules: one lane per process group …
constexpr std::uint64_t kSendLanes = std::uint64_t{1} << 32;  // … and one per receiver of sends
constexpr Time kShortest = ns(1);  // ASTRA rules: a node without a duration

}  // namespace

// The resource a node needs: ASTRA rules know CPU, compute and "communication" (collectives, sends,
// memory, everything else), each of capacity one; receives never wait. Orrery rules give each group
// and each receiver its own stream; a host has many threads, which dependencies keep in order, also
// where what they communicate takes its recorded time.
std::pair<std::uint64_t, bool> Engine::lane_of(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const NodeKind kind = graph.kind(node);
  if (kind == NodeKind::recv || kind == NodeKind::metadata) return {kFreeLane, true};
  if (graph.is_cpu(node) && run_.astra()) return {kCpuLane, false};
  if (graph.is_cpu(node) && (kind == NodeKind::comp || takes_recorded_time(rank, node)))
    return {kFreeLane, true};
  if (kind == NodeKind::comp) return {kComputeLane, false};
  if (run_.astra()) return {kCommLane, false};
  switch (kind) {
    case NodeKind::coll:
      return {kGroupLanes + static_cast<std::uint32_t>(graph.collective(node).group), false};
    case NodeKind::send:
      return {kSendLanes + static_cast<std::uint32_t>(graph.message(node, run_.real(rank)).dst),
              false};
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      return {kMemoryLane, false};
    default:
      return {kFreeLane, true};
  }
}

bool Engine::takes_recorded_time(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  if (run_.platform.replay_only) return true;
  if (graph.kind(node) != NodeKind::coll) return false;
  // Recorded traces have collectives that do not say what they are, or how large.
  if (!graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize)) return true;
  if (graph.duration(node) <= Time{}) return false;
  // Recorded on a rank whose peers' traces are not here: nothing to simulate, but it took its time.
  std::uint32_t group = 0;
  if (const std::string_view name = graph.string(graph.collective(node).group); !name.empty()) {
    group = run_.communicators.find(name, run_.real(rank));
    if (group >= Communicators::kOutside) return false;
  }
  const Communicator& alone = run_.communicators[group];
  return alone.members == 1 && alone.place(run_.real(rank)) != kNone;
}

void Engine::make_ready(std::uint32_t rank, NodeId node) {
  RankState& state = run_.ground.states[rank];
  const auto [key, unlimited] = lane_of(rank, node);
  auto lane = std::find_if(state.lanes.begin(), state.lanes.end(),
                           [k = key](const Lane& l) { return l.key == k; });
  if (lane == state.lanes.end()) {
    state.lanes.push_back({key, unlimited, false, graph::kNoNode, {}});
    lane = state.lanes.end() - 1;
  }
  lane->ready.push_back(node);
  std::push_heap(lane->ready.begin(), lane->ready.end(), std::greater<>());
}

std::optional<std::pair<Lane*, NodeId>> Engine::next_ready(RankState& state) {
  Lane* best = nullptr;
  for (Lane& lane : state.lanes) {
    if (lane.ready.empty() || (lane.busy && !lane.unlimited)) continue;
    if (best == nullptr || lane.ready.front() < best->ready.front()) best = &lane;
  }
  if (best == nullptr) return std::nullopt;
  const NodeId node = best->ready.front();
  std::pop_heap(best->ready.begin(), best->ready.end(), std::greater<>());
  best->ready.pop_back();
  best->busy = true;
  return std::pair{best, node};
}

// Starts every ready node whose resource is free, lowest id first. Nodes set free by nodes that end
// at once come in a second pass, as they would with ASTRA-sim's next callback.
void Engine::issue(std::uint32_t rank) {
  RankState& state = run_.ground.states[rank];
  if (state.issuing) return;
  state.issuing = true;
  do {
    for (const NodeId node : std::exchange(state.freed, {})) make_ready(rank, node);
    while (!run_.error) {
      const auto next = next_ready(state);
      if (!next) break;
      const auto [lane, node] = *next;
      if (!run_.astra() && !lane->unlimited && lane->last != graph::kNoNode)
        note_release(rank, node, lane->last);
      start(rank, node);
    }
  } while (!state.freed.empty() && !run_.error);
  state.issuing = false;
  check_finished(rank);
}

void Engine::wake(std::uint32_t rank) {
  if (run_.astra()) return issue(rank);
  RankState& state = run_.ground.states[rank];
  if (state.unsettled || state.issuing) return;
  state.unsettled = true;
  unsettled_ranks_.push_back(rank);
}

// Orrery rules: `node` could not start before `by` had ended either. See settle_releases.
void Engine::note_release(std::uint32_t rank, NodeId node, NodeId by) {
  if (run_.pages != nullptr) return;
  NodeTimes* times = &run_.ground.times[run_.ground.first_times[rank]];
  NodeId& known = times[node].released_by;
  const bool later = known == graph::kNoNode || times[known].end < times[by].end;
  if (later || (times[known].end == times[by].end && by < known)) known = by;
}

void Engine::start(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  NodeTimes& times = run_.times_of(rank, node);
  times.start = run_.now();
  repeats_.started(rank, node);
  if (run_.astra()) times.released_by = releasing_;
  const NodeKind kind = graph.kind(node);
  if (kind == NodeKind::invalid || kind == NodeKind::metadata) return retire(rank, node, true);
  if (run_.astra() && graph.is_cpu(node) && kind != NodeKind::comp && !run_.platform.replay_only) {
    return run_.fail(
        {Errc::input_corrupt, run_.place(rank, node),
         fmt::format("a {} node is marked is_cpu_op", graph::name(kind)),
         "communication and memory nodes run on the accelerator: clear the attribute"});
  }
  accounts_.account(rank);
  accounts_.count_node(rank, node, +1);
  if (run_.platform.replay_only) return replay(rank, node);
  switch (kind) {
    case NodeKind::comp:
      return start_compute(rank, node);
    case NodeKind::coll:
      return start_collective(rank, node);
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      return start_memory(rank, node);
    default:
      break;
  }
  const auto key = messages_.key(rank, node);
  if (!key) return;
  if (kind == NodeKind::send) return messages_.send({rank, node}, *key);
  messages_.receive({rank, node}, *key);
}

void Engine::replay(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  Time duration = graph.duration(node);
  if (duration == Time{} && run_.astra()) duration = kShortest;
  if (graph.kind(node) == NodeKind::comp)
    duration = run_.ground.deviations.compute(run_.real(rank), duration);
  if (!graph.is_cpu(node)) run_.ground.gpu_time[rank] += duration.count();
  agendas_.at(rank, duration.count(), {.arg = node, .kind = LocalKind::node_done});
}

bool takes_roofline(const graph::Graph& graph, NodeId node, const platform::Platform& platform) {
  if (platform.replay_only || graph.kind(node) != NodeKind::comp || graph.is_cpu(node))
    return false;
  const bool known = graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  const bool recorded = graph.duration(node) > Time{};
  const bool wanted =
      platform.device.roofline || (platform.device.roofline_without_duration && !recorded && known);
  return wanted && (known || platform.rules == platform::Rules::astra);
}

void Engine::start_compute(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const bool known = graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  const bool recorded = graph.duration(node) > Time{};
  if (!takes_roofline(graph, node, run_.platform)) {
    if (!recorded) run_.note(FindingCode::zero_duration_compute, rank, node);
    return replay(rank, node);
  }
  if (!known) {
    return run_.fail({Errc::input_missing_attr, run_.place(rank, node),
                      "a compute node lacks num_ops or tensor_size, which the roofline needs",
                      "turn roofline-enabled off to use recorded durations"});
  }
  const graph::Work work = graph.work(node);
  if (work.tensor_size == Bytes{} && run_.astra()) return retire(rank, node, true);
  const auto time = model::roofline_time(work, run_.platform.device, run_.platform.rules);
  if (!time) {
    return run_.fail({Errc::config_range, run_.place(rank, node),
                      "the roofline gives no time within 46 days",
                      "set the device's peak and memory bandwidth"});
  }
  const Time taken = run_.ground.deviations.compute(run_.real(rank), *time);
  run_.ground.gpu_time[rank] += taken.count();
  agendas_.at(rank, taken.count(), {.arg = node, .kind = LocalKind::node_done});
}

void Engine::start_memory(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  if (!graph.has(node, graph::kHasTensorSize)) {
    return run_.fail(
        {Errc::input_missing_attr, run_.place(rank, node), "a memory node lacks tensor_size", ""});
  }
  const Bytes size = graph.work(node).tensor_size;
  if (run_.platform.remote_memory.kind == platform::RemoteMemoryKind::none) {
    if (run_.astra()) {
      return run_.fail({Errc::config_conflict, run_.place(rank, node),
                        "the trace uses remote memory and the system has none",
                        "choose another memory-type than NO_MEMORY_EXPANSION"});
    }
    const auto local = transfer_time(size, run_.platform.device.memory);
    if (!local) {
      return run_.fail({Errc::config_range, run_.place(rank, node),
                        "local memory gives no time for this access",
                        "set the device's memory bandwidth"});
    }
    return agendas_.at(rank, local->count(), {.arg = node, .kind = LocalKind::memory_done});
  }
  const model::RemoteMemory::Access access{run_.real(rank), rank, node, size};
  if (remote_memory_.request(access)) serve_memory(access);
}

void Engine::serve_memory(const model::RemoteMemory::Access& access) {
  if (run_.recorder) run_.recorder->memory_served(access.rank, access.node, run_.now());
  const auto time = remote_memory_.service_time(access.size);
  if (!time) {
    return run_.fail({Errc::config_range, run_.place(access.rank, access.node),
                      "the remote memory gives no time within 46 days", "check remote-mem-bw"});
  }
  agendas_.at(access.rank, time->count(), {.arg = access.node, .kind = LocalKind::memory_done});
}

void Engine::memory_done(std::uint32_t rank, NodeId node) {
  if (const auto next = remote_memory_.release(run_.real(rank))) serve_memory(*next);
  complete(rank, node);
}

void Engine::start_collective(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const graph::Collective& collective = graph.collective(node);
  if (!run_.astra() && takes_recorded_time(rank, node)) {
    run_.note(FindingCode::collective_replayed, rank, node);
    return agendas_.at(rank, graph.duration(node).count(),
                       {.arg = node, .kind = LocalKind::node_done});
  }
  if (!graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize)) {
    return run_.fail({Errc::input_missing_attr, run_.place(rank, node),
                      "a collective lacks comm_type or comm_size", ""});
  }
  if (const std::string* prefix = custom_prefix(rank, node, collective.type))
    return begin_custom(rank, node, *prefix);
  const auto size = collective.size.count();
  const auto members = [&]() -> std::int64_t {
    const auto communicator = communicator_of(rank, node);
    return communicator ? run_.communicators[*communicator].members : 1;
  };
  if (model::plan_for(run_.platform.collectives, collective.type) != nullptr) {
    return begin_collective(rank, node, collective.type, size);
  }
  if (run_.astra() && collective.type == CollectiveType::broadcast) {
    run_.note(FindingCode::collective_without_traffic, rank, node);
    const std::int64_t recorded = graph.duration(node).count();
    return agendas_.at(rank, recorded > 0 ? recorded : kShortest.count(),
                       {.arg = node, .kind = LocalKind::node_done});
  }
  if (run_.astra() || collective.type == CollectiveType::unknown) {
    return run_.fail(
        {Errc::input_unsupported, run_.place(rank, node),
         fmt::format("collective type {} cannot be simulated", graph::name(collective.type)), ""});
  }
  // Orrery rules: the bandwidth cost of the pipelined form, in terms of the four that have
  // algorithms.
  run_.note(FindingCode::collective_approximated, rank, node);
  switch (collective.type) {
    case CollectiveType::broadcast:
    case CollectiveType::scatter:
    case CollectiveType::gather: {
      const std::int64_t n = members();
      return run_.error
                 ? void()
                 : begin_collective(rank, node, CollectiveType::all_gather, (size + n - 1) / n);
    }
    case CollectiveType::barrier: {
      const std::int64_t n = members();
      return run_.error ? void() : begin_collective(rank, node, CollectiveType::all_reduce, n);
    }
    default:
      return begin_collective(rank, node, CollectiveType::reduce_scatter, size);
  }
}

void Engine::complete(std::uint32_t rank, NodeId node) {
  if (run_.error) return;
  const NodeId before = std::exchange(releasing_, node);
  retire(rank, node, run_.ground.states[rank].issuing);
  wake(rank);
  releasing_ = before;
}

void Engine::retire(std::uint32_t rank, NodeId node, bool at_once) {
  RankState& state = run_.ground.states[rank];
  const graph::Graph& graph = run_.graph_of(rank);
  run_.times_of(rank, node).end = run_.now();
  if (graph.kind(node) != NodeKind::invalid && graph.kind(node) != NodeKind::metadata) {
    accounts_.account(rank);
    accounts_.count_node(rank, node, -1);
  }
  const std::uint64_t key = lane_of(rank, node).first;
  for (Lane& lane : state.lanes) {
    if (lane.key != key) continue;
    lane.busy = false;
    lane.last = node;
  }
  --state.left;
  if (run_.pages != nullptr) return pass_on(rank, node, at_once);
  state.waits[node] = kDone;
  const auto successors = graph.successors(node);
  if (!successors.empty()) state.reach = std::max(state.reach, successors.back());
  for (const NodeId next : successors) {
    if (--state.waits[next] != 0) continue;
    if (!run_.astra()) run_.ground.times[run_.ground.first_times[rank] + next].released_by = node;
    if (at_once) {
      state.freed.push_back(next);
    } else {
      make_ready(rank, next);
    }
  }
}

// The end of `retire` where times are not kept.
void Engine::pass_on(std::uint32_t rank, NodeId node, bool at_once) {
  for (const NodeId next : run_.graph_of(rank).successors(node)) {
    if (!run_.pages->satisfy(rank, next)) continue;
    if (at_once) {
      run_.ground.states[rank].freed.push_back(next);
    } else {
      make_ready(rank, next);
    }
  }
  run_.pages->end(rank, node);
}

void Engine::check_finished(std::uint32_t rank) {
  RankState& state = run_.ground.states[rank];
  if (state.left != 0 || state.finished || run_.error) return;
  state.finished = true;
  accounts_.account(rank);
  run_.ground.seats[rank].finish = Time(run_.now());
  finished_ += run_.weight(rank);
  if (run_.options.progress && !border_)
    run_.options.progress(finished_, run_.result.messages);
}

}  // namespace orrery::sim
