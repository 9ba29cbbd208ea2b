// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/ranks/network_memory.h"

#include <algorithm>

#include "orrery/sim/engine/state/network_memories.h"

namespace orrery::sim {

std::uint32_t NetworkMemory::new_access(const Access& access) {
  if (free_.empty()) {
    accesses_.push_back(access);
    return static_cast<std::uint32_t>(accesses_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  accesses_[number] = access;
  return number;
}

void NetworkMemory::begin(std::uint32_t rank, graph::NodeId node, Bytes size, bool store) {
  const std::uint32_t device = run_.real(rank);
  const auto memories = memories_of(run_.platform.remote_memory, run_.network, device);
  if (memories.empty()) {
    return run_.fail(
        {Errc::config_conflict, run_.place(rank, node),
         "its remote memory is in the network, but it reaches no memory there",
         "add `memories` to the network, and use a `network_model` that supports them"});
  }
  const std::uint32_t weight = run_.weight(rank);
  (store ? traffic_.stored : traffic_.loaded) += weight * static_cast<std::uint64_t>(size.count());
  // The first memories get the bytes that do not divide evenly. If there are fewer bytes than
  // memories, only as many messages are sent, but at least one.
  const auto count = static_cast<std::int64_t>(memories.size());
  const std::int64_t each = size.count() / count, more = size.count() % count;
  const std::int64_t messages = each > 0 ? count : std::max<std::int64_t>(more, 1);
  const std::uint32_t number = new_access({.rank = rank,
                                           .node = node,
                                           .pending_messages = static_cast<std::uint32_t>(messages),
                                           .bytes = size.count(),
                                           .store = store,
                                           .begun = run_.now()});
  for (std::int64_t i = 0; i < messages; ++i) {
    const model::EndPoint memory = memories[static_cast<std::size_t>(i)];
    const model::EndPoint from = store ? device : memory, to = store ? memory : device;
    const std::int64_t bytes = each + (i < more ? 1 : 0);
    Access& access = accesses_[number];
    access.alone = std::max(access.alone, transport_.uncontended_time(from, to, bytes));
    transport_.transfer({.from = from,
                         .to = to,
                         .bytes = bytes,
                         .weight = weight,
                         .traffic = model::TrafficClass::memory,
                         .flow = node,
                         .order = static_cast<std::uint64_t>(i)},
                        transport_.duration(from, to, bytes),
                        {.kind = EventKind::memory_message, .first = number});
  }
  if (!kernel_interference_.is_enabled()) return;
  Access& access = accesses_[number];
  const double seconds = static_cast<double>(std::max<std::int64_t>(access.alone, 1)) * 1e-12;
  access.rate =
      static_cast<std::int64_t>(std::min(static_cast<double>(size.count()) / seconds, 1e17));
  kernel_interference_.copy_rate_changes(rank, access.rate);
}

void NetworkMemory::handle(const Event& event) {
  Access& access = accesses_[event.first];
  if (--access.pending_messages > 0) return;
  if (kernel_interference_.is_enabled())
    kernel_interference_.copy_rate_changes(access.rank, -access.rate);
  if (run_.observer != nullptr) {
    const std::int64_t lost = run_.now() - access.begun - access.alone;
    run_.observer->memory_served(access.rank, access.node, std::max<std::int64_t>(lost, 0));
    run_.observer->memory_transfers({.from = access.begun,
                                     .until = run_.now(),
                                     .bytes = access.bytes,
                                     .devices = run_.weight(access.rank),
                                     .store = access.store,
                                     .together = false});
  }
  local_events_.at(access.rank, run_.platform.remote_memory.latency.count(),
                   {.arg = access.node, .kind = LocalEventKind::node_done});
  free_.push_back(event.first);
}

}  // namespace orrery::sim
