// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/expanded_cluster.h"

#include <utility>

#include "orrery/model/memory/remote_memory.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::study {

namespace {

std::shared_ptr<const Cluster> slowed(std::shared_ptr<const Cluster> cluster, double expanded) {
  if (!(expanded > 0)) return cluster;
  auto made = std::make_shared<Cluster>(*cluster);
  platform::Device& device = made->platform.device;
  device.memory = model::combined_bandwidth(device, expanded);
  device.expansion.reset();  // included in the bandwidth
  return made;
}

}  // namespace

double expanded_share(const workload::Program& program, const platform::Device& device) {
  const auto own = static_cast<double>(usable_memory(device).count());
  if (!device.expansion || !(own > 0)) return 0;
  workload::MemoryOptions how;
  how.details = false;
  how.device = reserved_memory(device.entry);
  const auto memory = workload::account_memory(program, how);
  if (!memory || memory->roles.empty()) return 0;
  const auto held = static_cast<double>(memory->roles[memory->worst].total());
  return held > own ? (held - own) / held : 0;
}

std::shared_ptr<const Cluster> with_expanded_memory(const workload::Program& program,
                                                    std::shared_ptr<const Cluster> cluster) {
  const double expanded = expanded_share(program, cluster->platform.device);
  return slowed(std::move(cluster), expanded);
}

std::shared_ptr<const Cluster> with_expanded_memory(const Load& load,
                                                    std::shared_ptr<const Cluster> cluster,
                                                    Findings& findings) {
  const platform::Device& device = cluster->platform.device;
  if (!device.expansion) return cluster;
  if (load.program == nullptr) {
    findings.add(FindingCode::key_without_effect,
                 "device.memory_expansion: traces do not specify the memory of ranks");
    return cluster;
  }
  return with_expanded_memory(*load.program, std::move(cluster));
}

}  // namespace orrery::study
