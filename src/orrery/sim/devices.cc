// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/devices.h"

#include <fmt/format.h>

#include "orrery/model/compute/roofline.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

bool takes_roofline(const graph::Graph& graph, NodeId node, const platform::Platform& platform) {
  if (platform.replay_only || graph.kind(node) != NodeKind::comp || graph.is_cpu(node))
    return false;
  const bool known = graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  const bool recorded = graph.duration(node) > Time{};
  const bool wanted =
      platform.device.roofline || (platform.device.roofline_without_duration && !recorded && known);
  return wanted && (known || platform.rules == platform::Rules::astra);
}

void Devices::replay(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  Time duration = graph.duration(node);
  if (duration == Time{}) duration = run_.policy.shortest;
  if (graph.kind(node) == NodeKind::comp)
    duration = run_.ground.deviations.compute(run_.real(rank), duration);
  if (!graph.is_cpu(node)) run_.ground.gpu_time[rank] += duration.count();
  agendas_.at(rank, duration.count(), {.arg = node, .kind = LocalKind::node_done});
}

bool Devices::compute(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const bool known = graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  const bool recorded = graph.duration(node) > Time{};
  if (!takes_roofline(graph, node, run_.platform)) {
    if (!recorded) run_.note(FindingCode::zero_duration_compute, rank, node);
    replay(rank, node);
    return true;
  }
  if (!known) {
    run_.fail({Errc::input_missing_attr, run_.place(rank, node),
               "a compute node lacks num_ops or tensor_size, which the roofline needs",
               "turn roofline-enabled off to use recorded durations"});
    return true;
  }
  const graph::Work work = graph.work(node);
  if (work.tensor_size == Bytes{} && run_.policy.empty_work_is_skipped) return false;
  const auto time = model::roofline_time(work, run_.platform.device, run_.platform.rules);
  if (!time) {
    run_.fail({Errc::config_range, run_.place(rank, node),
               "the roofline gives no time within 46 days",
               "set the device's peak and memory bandwidth"});
    return true;
  }
  const Time taken = run_.ground.deviations.compute(run_.real(rank), *time);
  run_.ground.gpu_time[rank] += taken.count();
  agendas_.at(rank, taken.count(), {.arg = node, .kind = LocalKind::node_done});
  return true;
}

void Devices::access(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  if (!graph.has(node, graph::kHasTensorSize)) {
    return run_.fail(
        {Errc::input_missing_attr, run_.place(rank, node), "a memory node lacks tensor_size", ""});
  }
  const Bytes size = graph.work(node).tensor_size;
  if (run_.platform.remote_memory.kind == platform::RemoteMemoryKind::none) {
    if (!run_.policy.local_memory_serves) {
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
  if (remote_memory_.request(access)) serve(access);
}

void Devices::serve(const model::RemoteMemory::Access& access) {
  if (run_.observer != nullptr) run_.observer->memory_served(access.rank, access.node);
  const auto time = remote_memory_.service_time(access.size);
  if (!time) {
    return run_.fail({Errc::config_range, run_.place(access.rank, access.node),
                      "the remote memory gives no time within 46 days", "check remote-mem-bw"});
  }
  agendas_.at(access.rank, time->count(), {.arg = access.node, .kind = LocalKind::memory_done});
}

void Devices::access_ends(std::uint32_t rank) {
  if (const auto next = remote_memory_.release(run_.real(rank))) serve(*next);
}

}  // namespace orrery::sim
