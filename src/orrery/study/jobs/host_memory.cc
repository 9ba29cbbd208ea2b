// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/host_memory.h"

#include <fmt/format.h>

#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/questions/offload_words.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

std::shared_ptr<const Cluster> with_host_memory(const Load& load,
                                                std::shared_ptr<const Cluster> cluster,
                                                Findings& findings) {
  const platform::Platform& platform = cluster->platform;
  if (load.program == nullptr || !offloads(load.program->spec) ||
      platform.remote_memory.kind != platform::RemoteMemoryKind::none)
    return cluster;
  const platform::DeviceEntry* const device = platform::find_device(platform.device.entry);
  const platform::LinkEntry* const found =
      device == nullptr ? nullptr : platform::find_link(device->host_link);
  if (found == nullptr) return cluster;
  const platform::LinkEntry& link = *found;
  platform::RemoteMemory memory;
  memory.kind = platform::RemoteMemoryKind::per_npu;
  memory.latency = link.latency;
  memory.bandwidth = Bandwidth(2 * link.bandwidth.count());  // both directions at once
  platform::MemoryStage stage;
  stage.bandwidth = link.bandwidth;
  stage.devices = 1;
  memory.stages.push_back(std::move(stage));
  auto made = std::make_shared<Cluster>(*cluster);
  made->platform.remote_memory = std::move(memory);
  findings.add(FindingCode::chosen_by_default,
               fmt::format("remote memory: that of the host, over {} with {} each way ({})",
                           link.name, format_bandwidth(link.bandwidth), device->host_link_source));
  return made;
}

}  // namespace orrery::study
