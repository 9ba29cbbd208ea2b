// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/hosts.h"

#include <algorithm>

namespace orrery::sim {

const Hosts::OfKernel& Hosts::of(const graph::KernelTable& kernels, graph::KernelId kernel) {
  for (const OfTable& known : known_)
    if (known.table == &kernels) return known.kernels[kernel];
  OfTable& made = known_.emplace_back();
  made.table = &kernels;
  const graph::LaunchTimes times = kernels.launch_times();
  for (graph::KernelId id = 0; id < kernels.size(); ++id) {
    const graph::Kernel& one = kernels[id];
    made.kernels.push_back({times.of(one).count(), std::max<std::uint32_t>(one.launches, 1)});
  }
  return made.kernels[kernel];
}

std::int64_t Hosts::launch(std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  if (graph.kind(node) != graph::NodeKind::comp || graph.is_cpu(node)) return 0;
  const graph::KernelId kernel = graph.kernel(node);
  if (kernel == graph::kNoKernel) return 0;
  const OfKernel& what = of(*graph.kernels(), kernel);
  if (what.each == 0) return 0;
  const std::uint32_t who = run_.real(rank);
  const std::int64_t each = run_.shared.deviations.host(who, Time(what.each)).count();
  HostClock& host = run_.shared.hosts[rank];
  const std::int64_t launches = what.launches;
  if (each > (model::Fabric::kTooLong - host.issued) / launches) {
    (void)run_.after(model::Fabric::kTooLong);
    return 0;
  }
  // The first kernel begins when it is launched; the last one ends its share of the time after it
  // is. Between these launches lie evenly, and so do their shares: nothing else can be later.
  std::int64_t begin = host.issued + each;
  host.issued += each * launches;
  if (launches > 1) {
    const std::int64_t before_last =
        devices_.length(rank, node).count() / launches * (launches - 1);
    begin = std::max(begin, host.issued - before_last);
  }
  if (begin <= run_.now()) return 0;
  ++host.waits;
  return begin - run_.now();
}

}  // namespace orrery::sim
