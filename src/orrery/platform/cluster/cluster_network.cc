// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's network: dimensions, a fabric, or both.
#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/fabric/fabric_internal.h"
#include "orrery/platform/cluster/file/cluster_file.h"
#include "orrery/platform/cluster/pcie_default.h"

namespace orrery::platform {
namespace {

/// Memories at the switches of a dimension.
void set_memories(const MemoriesSection& section, const std::string& path, Dimension& dim,
                  const Platform& platform, Reading& reading) {
  if (platform.fabric)
    return reading.fail(Errc::config_conflict, path, "is given, but the fabric defines the nodes",
                        "add memories under `fabric: memories`");
  if (dim.block != Block::switched || dim.size < 2)
    return reading.fail(Errc::config_conflict, path, "is given, but this block has no switch",
                        "add them to a dimension with `block: switch`");
  const LinkFigures figures =
      link_figures(section.link, LinkClass::memory, path + "/link", true, reading);
  dim.memories =
      Memories{section.count, figures.bandwidth, figures.latency.value_or(Time{}), section.rate};
}

/// Replaces the bandwidth of `dim` if its link is PCIe whose topology is unknown.
void take_unknown_pcie(const LinkEntry& link, const std::string& path, const Platform& platform,
                       Dimension& dim, Findings& findings) {
  if (platform.fabric || !is_unknown_pcie(link, find_device(platform.device.entry))) return;
  dim.unknown_pcie = link.name;
  dim.bandwidth = unknown_pcie_bandwidth(link, dim.size);
  findings.add(FindingCode::pcie_topology_unknown,
               fmt::format("{}: {} devices by {}, {} per device", path, dim.size, link.name,
                           format_bandwidth(dim.bandwidth)));
}

/// With a fabric, link values are optional.
void set_dims(const std::vector<DimSection>& sections, Platform& platform, Findings& findings,
              Reading& reading) {
  double npus = 1;
  for (std::size_t d = 0; d < sections.size(); ++d) {
    const DimSection& section = sections[d];
    const std::string path = pointer("/network", d);
    Dimension dim{section.block, section.size, Bandwidth{}, 0};
    std::optional<Time> latency = section.latency;
    if (section.link) {
      const LinkEntry* entry = find_known_link(*section.link, path + "/link", reading);
      if (entry == nullptr) return;
      dim.bandwidth = entry->bandwidth;
      if (!latency) latency = entry->latency;
      if (!section.bandwidth && dim.size > 1)
        take_unknown_pcie(*entry, path, platform, dim, findings);
    }
    if (section.bandwidth) dim.bandwidth = *section.bandwidth;
    if (platform.fabric) {
      if (section.link || section.bandwidth || section.latency)
        return reading.fail(Errc::config_conflict, path,
                            "has link values, but the fabric defines them",
                            "remove link, bandwidth and latency");
      latency = Time{};
    } else if (dim.bandwidth.count() == 0) {
      return reading.fail(Errc::config_missing_key, path + "/bandwidth",
                          "is missing: give it, or a link of the catalog");
    }
    if (!latency) {
      return reading.fail(Errc::config_missing_key, path + "/latency",
                          "is missing: give it, or a link of the catalog");
    }
    if (*latency > Time(1'000'000 * kPsPerSecond)) {
      return reading.fail(Errc::config_range, path + "/latency", "is more than 1000000 s");
    }
    dim.latency_ns = static_cast<double>(latency->count()) / kPsPerNs;
    npus *= static_cast<double>(dim.size);
    if (npus > static_cast<double>(limits::kRanks)) {
      return reading.fail(Errc::limit_exceeded, path + "/size",
                          fmt::format("the cluster has more than {} devices", limits::kRanks));
    }
    if (section.in_network) {
      if (dim.block != Block::switched || platform.fabric) {
        return reading.fail(Errc::config_conflict, path + "/in_network",
                            platform.fabric ? "is given, but the fabric defines the switches"
                                            : "is given, but this block has no switch",
                            platform.fabric ? "list the switches under `fabric: in_network`" : "");
      }
      dim.in_network = section.in_network;
    }
    if (section.memories)
      set_memories(*section.memories, path + "/memories", dim, platform, reading);
    if (reading.error) return;
    platform.dims.push_back(dim);
  }
}

void set_fabric(const ClusterSection& file, Platform& platform, Findings& findings,
                Reading& reading) {
  Result<Fabric> made = make_fabric(*file.fabric, file.name, reading.where, "/fabric", findings);
  if (!made) {
    reading.error = made.error();
    return;
  }
  platform.fabric = std::make_shared<const Fabric>(std::move(*made));
  if (const Result<void> checked = check_faults(platform, reading.where); !checked)
    reading.error = checked.error();
}

/// The dimensions that collectives use on a fabric.
void set_logical_dims(const ClusterSection& file, Platform& platform, Findings& findings,
                      Reading& reading) {
  const Fabric& fabric = *platform.fabric;
  if (file.network) {
    set_dims(*file.network, platform, findings, reading);
    const auto rank_devices = static_cast<std::int64_t>(fabric.rank_devices.size());
    if (!reading.error && platform.npu_count() != rank_devices)
      return reading.fail(Errc::config_conflict, "/network",
                          fmt::format("has {} positions, but the fabric has {} ranks",
                                      platform.npu_count(), rank_devices),
                          "the product of the sizes must be the number of ranks");
  } else {
    platform.dims = fabric.logical_dims();
  }
  if (!reading.error) complete_dims(platform.dims, fabric);
}

}  // namespace

Result<void> check_faults(const Platform& platform, const std::string& where) {
  if (platform.fabric == nullptr || network_model(platform.network).timed_faults) return {};
  std::vector<std::string_view> models;
  for (const NetworkModelEntry& entry : kNetworkModels) {
    if (entry.timed_faults) models.push_back(entry.name);
  }
  for (std::size_t i = 0; i < platform.fabric->faults.size(); ++i) {
    if (!platform.fabric->faults[i].is_permanent())
      return fail(Errc::config_conflict, where + ":" + pointer("/fabric/faults", i),
                  fmt::format("begins, ends or recurs: only the network models {} support that",
                              join(models, " and ")),
                  "network_model: flow, or --network flow");
  }
  return {};
}

const LinkEntry* find_known_link(const std::string& name, const std::string& path,
                                 Reading& reading) {
  const LinkEntry* entry = find_link(name);
  if (entry != nullptr) return entry;
  reading.fail(Errc::config_range, path, in_quotes(name) + " is not in the catalog",
               link_hint(name));
  return nullptr;
}

void set_network(const ClusterSection& file, Platform& platform, Findings& findings,
                 Reading& reading) {
  if (!file.network && !file.fabric)
    return reading.fail(Errc::config_missing_key, "/network", "is missing",
                        "list the network's dimensions, or describe a `fabric`");
  if (!file.fabric) return set_dims(*file.network, platform, findings, reading);
  set_fabric(file, platform, findings, reading);
  if (!reading.error) set_logical_dims(file, platform, findings, reading);
}

}  // namespace orrery::platform
