// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/tensor_parallel_hosts.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/platform/placement/host_crossings.h"
#include "orrery/workload/program/mesh.h"

namespace orrery::study {

void check_tensor_groups(const graph::Workload& workload, const platform::Platform& platform,
                         Findings& findings) {
  // With several jobs on a machine, the groups of a job are called "job/tp".
  std::vector<const graph::GroupAxis*> axes;
  for (const auto& [name, axis] : workload.axes)
    if (std::string_view(name).substr(name.rfind('/') + 1) == workload::name(workload::Axis::tp))
      axes.push_back(&axis);
  if (axes.empty()) return;
  auto crossings = platform::HostCrossings::of(platform);
  for (const graph::GroupAxis* axis : axes) {
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      if (axis->has(rank) && axis->first(rank) == rank) crossings.add_group(axis->members(rank));
  }
  if (crossings.groups() > 0)
    findings.add(FindingCode::tp_crosses_hosts, crossings.description(), crossings.groups());
}

}  // namespace orrery::study
