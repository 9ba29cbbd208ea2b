// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/ranks/host_launches.h"

#include <algorithm>

namespace orrery::sim {

const HostLaunches::TableLaunches& HostLaunches::launches_of(const graph::KernelTable& kernels) {
  for (const TableLaunches& known : tables_)
    if (known.table == &kernels) return known;
  TableLaunches& made = tables_.emplace_back();
  const graph::LaunchTimes times = kernels.launch_times();
  made.table = &kernels;
  made.least = times.shortest().count();
  made.ahead = times.max_queued;
  for (graph::KernelId id = 0; id < kernels.size(); ++id) {
    const graph::Kernel& one = kernels[id];
    made.kernels.push_back({times.mean(one).count(), times.count(one), one.host_waits});
  }
  return made;
}

std::pair<const HostLaunches::TableLaunches*, graph::KernelId> HostLaunches::find(
    std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  if (graph.kind(node) != graph::NodeKind::comp || graph.is_cpu(node)) return {};
  const graph::KernelId kernel = graph.kernel(node);
  if (kernel == graph::kNoKernel) return {};
  return {&launches_of(*graph.kernels()), kernel};
}

void HostLaunches::end(std::uint32_t rank, graph::NodeId node) {
  const auto [all, kernel] = find(rank, node);
  if (all != nullptr && all->least != 0 && all->kernels[kernel].waits)
    run_.shared.hosts[rank].wait_until(run_.now());
}

std::int64_t HostLaunches::launch(std::uint32_t rank, graph::NodeId node) {
  const auto [table, kernel] = find(rank, node);
  if (table == nullptr || table->kernels[kernel].each == 0) return 0;
  const TableLaunches& all = *table;
  const KernelLaunches& what = all.kernels[kernel];
  const std::uint32_t who = run_.real(rank);
  const auto with_deviation = [&](std::int64_t time) {
    return run_.shared.deviations.host(who, Time(time)).count();
  };
  model::HostClock& host = run_.shared.hosts[rank];
  const model::Launches launches{
      .each = with_deviation(what.each),
      .count = what.launches,
      .share = what.launches == 1 ? 0 : devices_.duration(rank, node).count() / what.launches,
      .least = with_deviation(all.least),
      .ahead = all.ahead};
  if (launches.each > (model::MultiDimFabric::kTooLong - host.issued()) / launches.count) {
    (void)run_.after(model::MultiDimFabric::kTooLong);
    return 0;
  }
  return host.launch(launches, run_.now()) - run_.now();
}

}  // namespace orrery::sim
