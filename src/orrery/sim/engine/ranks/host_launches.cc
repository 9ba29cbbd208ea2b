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
    made.kernels.push_back({times.of(one).count(), std::max<std::uint32_t>(one.launches, 1)});
  }
  return made;
}

std::int64_t HostLaunches::launch(std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  if (graph.kind(node) != graph::NodeKind::comp || graph.is_cpu(node)) return 0;
  const graph::KernelId kernel = graph.kernel(node);
  if (kernel == graph::kNoKernel) return 0;
  const TableLaunches& all = launches_of(*graph.kernels());
  const KernelLaunches& what = all.kernels[kernel];
  if (what.each == 0) return 0;
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
