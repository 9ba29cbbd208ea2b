// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/ranks/device_work.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

void DeviceWork::replay(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  Time duration = graph.duration(node);
  if (duration == Time{}) duration = run_.policy.shortest;
  if (graph.kind(node) == NodeKind::comp) duration = with_deviation(rank, node, duration);
  if (!graph.is_cpu(node)) run_.shared.gpu_time[rank] += duration.count();
  local_events_.at(rank, duration.count(), {.arg = node, .kind = LocalEventKind::node_done});
}

Time DeviceWork::with_deviation(std::uint32_t rank, NodeId node, Time duration) const {
  const RankDeviations& deviations = run_.shared.deviations;
  if (!deviations.any()) return duration;
  const std::uint32_t who = run_.real(rank);
  if (run_.computes(rank, node)) return deviations.compute(who, duration);
  if (run_.copies(rank, node)) return deviations.copy(who, duration);
  if (run_.communicates(rank, node)) return deviations.communication(who, duration);
  if (run_.graph_of(rank).has(node, graph::kIsWait)) return duration;
  return deviations.host(who, duration);
}

Time DeviceWork::duration(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  const auto answer = compute_->time(graph, node);
  if (!answer) return Time{};
  return answer->source == TimeSource::recorded
             ? with_deviation(rank, node, answer->time)
             : run_.shared.deviations.compute(run_.real(rank), answer->time);
}

bool DeviceWork::compute(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const auto answer = compute_->time(graph, node);
  if (!answer) {
    fail_at(rank, node, answer.error());
    return true;
  }
  if (answer->source == TimeSource::recorded) {
    if (answer->time == Time{}) run_.note(FindingCode::zero_duration_compute, rank, node);
    replay(rank, node);
    return true;
  }
  if (graph.work(node).tensor_size == Bytes{} && run_.policy.empty_work_is_skipped) return false;
  const Time taken = run_.shared.deviations.compute(run_.real(rank), answer->time);
  run_.shared.gpu_time[rank] += taken.count();
  if (kernel_interference_.is_enabled() && !graph.is_cpu(node)) {
    kernel_interference_.begin(rank, node, taken.count());
  } else {
    local_events_.at(rank, taken.count(), {.arg = node, .kind = LocalEventKind::node_done});
  }
  return true;
}

void DeviceWork::fail_at(std::uint32_t rank, NodeId node, Error what) {
  what.where = run_.place(rank, node);
  run_.fail(std::move(what));
}

void DeviceWork::access(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  if (!graph.has(node, graph::kHasTensorSize)) {
    return run_.fail(
        {Errc::input_missing_attr, run_.place(rank, node), "a memory node lacks tensor_size", ""});
  }
  const Bytes size = graph.work(node).tensor_size;
  if (run_.platform.remote_memory.kind == platform::RemoteMemoryKind::none) {
    if (!run_.policy.local_memory_serves) {
      return run_.fail({Errc::config_conflict, run_.place(rank, node),
                        "the trace uses remote memory, but the system has none",
                        "use another memory-type than NO_MEMORY_EXPANSION"});
    }
    const auto local = model::local_memory(size, run_.platform.device);
    if (!local) return fail_at(rank, node, local.error());
    return local_events_.at(rank, local->time.count(),
                            {.arg = node, .kind = LocalEventKind::memory_done});
  }
  if (network_memory_.is_enabled())
    return network_memory_.begin(rank, node, size, graph.kind(node) == NodeKind::mem_store);
  if (run_.policy.memory_in_turn) {
    const model::RemoteMemory::Access access{run_.real(rank), rank, node, size};
    if (remote_memory_.request(access)) serve(access);
    return;
  }
  share_memory(rank, node);
}

void DeviceWork::share_memory(std::uint32_t rank, NodeId node) {
  if (run_.folded_workload.is_folded() && !pools_.folded() &&
      !pools_.fold(run_.folded_workload.class_of(), run_.folded_workload.weights())) {
    run_.fold_failed = "equivalent ranks share memory with different ranks";
    return;
  }
  const graph::Graph& graph = run_.graph_of(rank);
  const graph::Work work = graph.work(node);
  // Traces do not state which devices share the bytes; programs do, as the number of devices.
  const bool has_devices = graph.has(node, graph::kHasNumOps);
  const model::MemoryPools::Access access{.device = run_.real(rank),
                                          .rank = rank,
                                          .node = node,
                                          .bytes = work.tensor_size.count(),
                                          .store = graph.kind(node) == NodeKind::mem_store,
                                          .together = !has_devices || work.num_ops > 1};
  if (pools_.exceeds_clock(access)) {
    return fail_at(rank, node,
                   {Errc::config_range, "", "the remote memory access exceeds 46 days",
                    "check the bandwidths of remote_memory"});
  }
  pools_.begin(access);
}

std::vector<model::MemoryPools::FinishedAccess> DeviceWork::take_finished() {
  std::vector<model::MemoryPools::FinishedAccess> all;
  pools_.advance(run_.now(), all);
  report_transfers();
  report_rates();
  if (run_.observer != nullptr) {
    for (const auto& [access, lost] : all)
      run_.observer->memory_served(access.rank, access.node, lost);
  }
  return all;
}

void DeviceWork::report_transfers() {
  if (run_.observer == nullptr) return;
  for (const model::MemoryPools::TransferSpan& one : pools_.moved())
    run_.observer->memory_transfers(one);
}

/// Notifies the interference model of the new rates of accesses in the devices' own memories.
void DeviceWork::report_rates() {
  if (!kernel_interference_.is_enabled()) return;
  std::vector<std::pair<std::uint32_t, std::int64_t>> now;
  for (const model::MemoryPools::Rate& one : pools_.rates())
    now.emplace_back(one.rank, static_cast<std::int64_t>(one.bytes_per_ns * 1e9));
  auto before = copying_.begin();
  const auto change = [&](std::uint32_t rank, std::int64_t by) {
    if (by != 0) kernel_interference_.copy_rate_changes(rank, by);
  };
  for (const auto& [rank, rate] : now) {
    for (; before != copying_.end() && before->first < rank; ++before)
      change(before->first, -before->second);
    const bool known = before != copying_.end() && before->first == rank;
    change(rank, rate - (known ? before->second : 0));
    if (known) ++before;
  }
  for (; before != copying_.end(); ++before) change(before->first, -before->second);
  copying_ = std::move(now);
}

void DeviceWork::serve(const model::RemoteMemory::Access& access) {
  if (run_.observer != nullptr) {
    const std::int64_t since = run_.times_of(access.rank, access.node).start;
    run_.observer->memory_served(access.rank, access.node, run_.now() - since);
  }
  const auto answer = remote_memory_.time(access.size);
  if (!answer) return fail_at(access.rank, access.node, answer.error());
  local_events_.at(access.rank, answer->time.count(),
                   {.arg = access.node, .kind = LocalEventKind::memory_done});
}

void DeviceWork::access_ends(std::uint32_t rank) {
  if (const auto next = remote_memory_.release(run_.real(rank))) serve(*next);
}

}  // namespace orrery::sim
