// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/remote_memory.h"

#include <algorithm>

namespace orrery::model {

using platform::RemoteMemoryKind;

RemoteMemory::RemoteMemory(const platform::Platform& platform) : config_(platform.remote_memory) {
  if (config_.kind == RemoteMemoryKind::pool) servers_.resize(1);
  if (config_.kind == RemoteMemoryKind::per_node) {
    const std::int64_t per_node = std::max<std::int64_t>(config_.npus_per_node, 1);
    servers_.resize(static_cast<std::size_t>((platform.npu_count() + per_node - 1) / per_node));
  }
}

std::size_t RemoteMemory::server(std::uint32_t device) const {
  if (config_.kind == RemoteMemoryKind::pool) return 0;
  return device / static_cast<std::size_t>(std::max<std::int64_t>(config_.npus_per_node, 1));
}

Result<TimeEstimate> RemoteMemory::time(Bytes size) const {
  const double nanoseconds = static_cast<double>(size.count()) / (config_.bandwidth.count() / 1e9);
  if (!(nanoseconds >= 0 && nanoseconds < 4e15)) {
    return fail(Errc::config_range, "", "the remote memory access exceeds 46 days",
                "check remote-mem-bw");
  }
  return TimeEstimate{config_.latency + ns(static_cast<std::int64_t>(nanoseconds)),
                      TimeSource::memory};
}

Result<TimeEstimate> local_memory(Bytes size, const platform::Device& device) {
  const auto time = transfer_time(size, device.memory);
  if (!time) {
    return fail(Errc::config_range, "", "local memory has no time for this access",
                "set the device's memory bandwidth");
  }
  return TimeEstimate{*time, TimeSource::memory};
}

bool RemoteMemory::request(const Access& access) {
  if (servers_.empty()) return true;
  Server& memory = servers_[server(access.device)];
  if (memory.busy) {
    memory.waiting.push_back(access);
    return false;
  }
  memory.busy = true;
  return true;
}

std::optional<RemoteMemory::Access> RemoteMemory::release(std::uint32_t device) {
  if (servers_.empty()) return std::nullopt;
  Server& memory = servers_[server(device)];
  if (memory.waiting.empty()) {
    memory.busy = false;
    return std::nullopt;
  }
  const Access next = memory.waiting.front();
  memory.waiting.pop_front();
  return next;
}

Bandwidth combined_bandwidth(const platform::Device& device, double beyond) {
  if (!device.expansion || !(beyond > 0)) return device.memory;
  const double own = (1 - beyond) / device.memory.count();
  const double expansion = beyond / device.expansion->bandwidth.count();
  const bool concurrent = device.expansion->access == platform::MemoryAccess::concurrent;
  return Bandwidth(1 / (concurrent ? std::max(own, expansion) : own + expansion));
}

}  // namespace orrery::model
