// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/record/make_run_internal.h"

namespace orrery::record {

namespace {

void add_fabric(const platform::Fabric& fabric, result::Run& run) {
  const platform::Topology& topology = fabric.topology;
  for (platform::NodeIndex node = 0; node < topology.node_count(); ++node)
    run.fabric.push_back(
        {topology.name(node), std::string(platform::name(topology.kind(node))),
         topology.host(node) == platform::Topology::kNoHost ? result::kNone : topology.host(node),
         result::kNone});
  for (std::uint32_t rank = 0; rank < fabric.rank_devices.size(); ++rank)
    run.fabric[fabric.rank_devices[rank]].rank = rank;
}

/// A fault lists parallel links consecutively; they become one entry.
void add_faults(const platform::Fabric& fabric, result::Run& run) {
  for (const platform::LinkFault& fault : fabric.faults) {
    const std::size_t first = run.faults.size();
    for (const platform::LinkIndex link : fault.links) {
      const platform::Link& one = fabric.topology.link(link);
      if (run.faults.size() > first && run.faults.back().from == one.from &&
          run.faults.back().to == one.to) {
        ++run.faults.back().links;
        continue;
      }
      run.faults.push_back({one.from, one.to, 1, fault.bandwidth, fault.start, fault.end,
                            fault.every, fault.duration});
    }
  }
}

}  // namespace

/// End points after the ranks, memories and switches, have no number in a run.
void make_packets(const RecordingSource& source, result::Run& run) {
  run.packets = source.recording.packets;
  if (!run.packets) return;
  const auto ranks = static_cast<std::uint32_t>(source.workload.rank_count());
  for (PacketMessageTime& message : run.packets->message_times) {
    if (message.from >= ranks) message.from = result::kNone;
    if (message.to >= ranks) message.to = result::kNone;
  }
}

void make_links(const RecordingSource& source, result::Run& run) {
  make_packets(source, run);
  const bool links = !source.recording.uncontended;
  if (source.platform.fabric != nullptr) {
    add_fabric(*source.platform.fabric, run);
    add_faults(*source.platform.fabric, run);
  }
  run.links.bin = source.recording.links.empty() ? Time{} : Time(source.recording.bin);
  std::map<std::vector<std::uint64_t>, std::uint32_t> curves;
  for (const sim::RecordedLink& used : source.recording.links) {
    result::Link& link = run.links.links.emplace_back();
    link.dim = used.dim;
    link.from = used.from;
    link.to = used.to;
    link.down = used.down;
    link.bytes = used.bytes;
    link.name = used.name;
    link.kind = used.kind;
    const platform::Dimension& dim = source.platform.dims[used.dim];
    if (!used.name.empty()) {
      link.capacity = Bandwidth(used.capacity);
    } else if (source.platform.fabric != nullptr && links) {  // too many links to list individually
      for (const platform::Link& one : source.platform.fabric->topology.links())
        link.capacity += Bandwidth(one.capacity());
    } else if (used.from == sim::kNone) {
      link.capacity = port_bandwidth(dim) * static_cast<double>(source.workload.rank_count());
    } else {
      link.capacity = (links ? dim.bandwidth : port_bandwidth(dim)) * used.share;
    }
    const auto [found, added] =
        curves.try_emplace(used.bins, static_cast<std::uint32_t>(run.links.curves.size()));
    if (added) run.links.curves.push_back(used.bins);
    link.use = found->second;
  }
}

}  // namespace orrery::record
