// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/tensor_groups.h"

#include <cstdint>

#include "orrery/platform/host_crossings.h"
#include "orrery/workload/program/mesh.h"

namespace orrery::study {

void look_at_tensor_groups(const graph::Workload& workload, const platform::Platform& platform,
                           Findings& findings) {
  const auto axis = workload.axes.find(workload::name(workload::Axis::tp));
  if (axis == workload.axes.end()) return;
  auto crossings = platform::HostCrossings::of(platform);
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (axis->second.first(rank) == rank) crossings.look(axis->second.members(rank));
  }
  if (crossings.groups() > 0)
    findings.add(FindingCode::tp_crosses_hosts, crossings.text(), crossings.groups());
}

}  // namespace orrery::study
