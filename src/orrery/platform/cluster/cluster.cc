// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "orrery/core/system/read_files.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/platform/cluster/cluster_collectives.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/file/cluster_file.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform {
namespace {

template <class Entry>
std::vector<std::string_view> names_of(std::span<const Entry> entries) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

void set_in_step(const StepEffectsSection& section, Device& device, Reading& reading) {
  device.in_step.gap = section.gap;
  if (const auto& overlap = section.collective_overlap)
    device.in_step.overlap = StepEffects::OverlapSlowdown{overlap->products, overlap->others};
  device.in_step.collectives = section.collectives;
  for (std::size_t i = 0; i < section.factors.size(); ++i) {
    const FactorSection& one = section.factors[i];
    const auto same = [&](const FactorSection& other) { return other.bits == one.bits; };
    if (std::count_if(section.factors.begin(), section.factors.end(), same) > 1)
      return reading.fail(Errc::config_range, pointer("/device/in_step/factors", i) + "/bits",
                          fmt::format("there are two factors for {} bits", one.bits));
    device.in_step.factors.push_back({one.bits, one.factor, one.lower, one.upper});
  }
}

/// Where times come from; all else of `device` is known.
void set_compute(const DeviceSection& section, Device& device, Reading& reading) {
  device.compute = section.compute;
  for (const KernelFileEntry& row : kKernelFileTable)
    device.kernel_files.*row.path = (section.*row.key_path).value_or("");
  if (section.in_step) set_in_step(*section.in_step, device, reading);
  const DeviceEntry* entry = find_device(device.entry);
  if (entry == nullptr || !device.in_step.factors.empty()) return;
  for (const StepFactor& one : entry->in_step)
    device.in_step.factors.push_back({one.bits, one.factor, one.lower, one.upper});
}

/// Nothing that it needs is missing.
void check_compute(const DeviceSection& section, Device& device, Reading& reading) {
  const KernelFileEntry* const file = kernel_file_of(section.compute);
  if (file != nullptr && (device.kernel_files.*file->path).empty())
    return reading.fail(Errc::config_missing_key, fmt::format("/device/{}", file->key),
                        fmt::format("is missing: compute is to come from a {}", file->what),
                        fmt::format("name {}, or take another model", file->content));
  if (device.peak.count() > 0 || section.compute == TimeSource::recorded) return;
  if (section.compute == TimeSource::automatic && has_file_for_auto(device.kernel_files)) return;
  if (section.compute != TimeSource::automatic)
    return reading.fail(Errc::config_missing_key, "/device/peak",
                        "is missing: the model of compute needs it");
  device.compute = TimeSource::recorded;
}

void set_device(const DeviceSection& section, Platform& platform, Reading& reading) {
  const DeviceEntry* entry = nullptr;
  if (section.is) {
    entry = find_device(*section.is);
    if (entry == nullptr) {
      const std::vector<std::string_view> names = names_of(devices());
      const std::string near = did_you_mean(*section.is, names);
      return reading.fail(Errc::config_range, "/device/is",
                          in_quotes(*section.is) + " is not in the catalogue",
                          near.empty() ? "the catalogue has " + join(names) : near);
    }
  }
  Device& device = platform.device;
  if (entry != nullptr) {
    device.name = device.entry = entry->name;
    device.rated = entry->peaks.front().rate;
    device.precision = entry->peaks.front().precision;
    device.memory = entry->memory_bandwidth;
    device.memory_capacity = entry->memory;
  }
  if (section.precision) {
    const Peak* peak = entry == nullptr ? nullptr : entry->peak(*section.precision);
    if (peak == nullptr) {
      std::vector<std::string_view> known;
      for (std::size_t i = 0; entry != nullptr && i < entry->peaks.size(); ++i)
        known.push_back(entry->peaks[i].precision);
      return reading.fail(
          Errc::config_range, "/device/precision",
          in_quotes(*section.precision) + " has no peak in the catalogue for this device",
          known.empty() ? "name a catalogue device with `is`, or give `peak`"
                        : "it has " + join(known));
    }
    device.rated = peak->rate;
    device.precision = peak->precision;
  }
  if (section.name) device.name = *section.name;
  device.peak = section.peak.value_or(device.rated);
  if (entry == nullptr) device.rated = device.peak;
  if (section.memory_bandwidth) device.memory = *section.memory_bandwidth;
  if (section.memory_capacity) device.memory_capacity = *section.memory_capacity;
  if (device.memory.count() == 0) {
    return reading.fail(Errc::config_missing_key, "/device/memory_bandwidth",
                        "is missing: the device is not from the catalogue",
                        "name a catalogue device with `is`, or give memory_bandwidth");
  }
  if (const auto& expansion = section.memory_expansion) {
    device.expansion =
        MemoryExpansion{*expansion->bandwidth, expansion->capacity, expansion->access};
    if (device.memory_capacity == Bytes{})
      return reading.fail(Errc::config_missing_key, "/device/memory_capacity",
                          "is missing: what lies beside the device is what does not fit into it",
                          "give the capacity of its own memory");
  }
  device.clock_mhz = section.clock_mhz.value_or(0);
  set_compute(section, device, reading);
  check_compute(section, device, reading);
}

void set_stages(const RemoteMemorySection& section, RemoteMemory& memory, Reading& reading) {
  memory.groups = section.groups.value_or(1);
  memory.chunk = section.chunk.value_or(Bytes{});
  memory.in_switch = section.in_switch;
  if (!section.stages) return;
  for (std::size_t i = 0; i < section.stages->size(); ++i) {
    const MemoryStageSection& from = (*section.stages)[i];
    const std::string path = fmt::format("/remote_memory/stages/{}", i);
    const bool straight = from.shape == MemoryShape::straight;
    if (straight ? from.sizes.has_value() : from.links.has_value())
      return reading.fail(Errc::config_conflict, path + (straight ? "/sizes" : "/links"),
                          straight ? "is for a ring or a mesh" : "is for straight links");
    MemoryStage& stage = memory.stages.emplace_back();
    stage = {from.shape, *from.bandwidth, from.links.value_or(1), {}, from.devices.value_or(0)};
    if (straight) continue;
    if (!from.sizes)
      return reading.fail(Errc::config_missing_key, path + "/sizes",
                          "is missing: a ring or a mesh needs it");
    stage.sizes = *from.sizes;
    if (from.shape == MemoryShape::ring && stage.sizes.size() != 1)
      return reading.fail(Errc::config_range, path + "/sizes", "has one number for a ring");
    double places = 1;
    for (const std::int64_t size : stage.sizes) {
      places *= static_cast<double>(size);
      if (size < 1 || places > static_cast<double>(limits::kRanks))
        return reading.fail(
            Errc::config_range, path + "/sizes",
            fmt::format("must be from 1 up, and of no more than {} places", limits::kRanks));
    }
  }
}

/// The network has the memories: all else is there.
void set_network_memory(const RemoteMemorySection& section, Platform& platform, Reading& reading) {
  const char* given = section.bandwidth       ? "bandwidth"
                      : section.groups        ? "groups"
                      : section.stages        ? "stages"
                      : section.chunk         ? "chunk"
                      : section.in_switch     ? "in_switch"
                      : section.nodes         ? "nodes"
                      : section.npus_per_node ? "npus_per_node"
                                              : nullptr;
  if (given != nullptr)
    return reading.fail(Errc::config_conflict, fmt::format("/remote_memory/{}", given),
                        "is given, and kind is network",
                        "`memories` of the network say how many there are, and their links");
  platform.remote_memory.latency = section.latency;
  platform.remote_memory.spread = section.spread;
}

void set_remote_memory(const RemoteMemorySection& section, Platform& platform, Reading& reading) {
  RemoteMemory& memory = platform.remote_memory;
  memory.kind = section.kind;
  if (section.kind == RemoteMemoryKind::none) {
    const char* given = section.bandwidth   ? "bandwidth"
                        : section.stages    ? "stages"
                        : section.groups    ? "groups"
                        : section.chunk     ? "chunk"
                        : section.in_switch ? "in_switch"
                        : section.spread    ? "spread"
                                            : nullptr;
    if (given != nullptr) {
      reading.fail(Errc::config_conflict, fmt::format("/remote_memory/{}", given),
                   "is given, but kind is none");
    }
    return;
  }
  if (section.kind == RemoteMemoryKind::network)
    return set_network_memory(section, platform, reading);
  if (section.spread)
    return reading.fail(Errc::config_conflict, "/remote_memory/spread", "is for kind network only");
  if (!section.bandwidth) {
    return reading.fail(Errc::config_missing_key, "/remote_memory/bandwidth",
                        "is missing: this kind of memory needs it");
  }
  memory.latency = section.latency;
  memory.bandwidth = *section.bandwidth;
  set_stages(section, memory, reading);
  if (section.kind != RemoteMemoryKind::per_node) {
    if (section.nodes || section.npus_per_node) {
      reading.fail(Errc::config_conflict,
                   section.nodes ? "/remote_memory/nodes" : "/remote_memory/npus_per_node",
                   "is for kind per_node only");
    }
    return;
  }
  if (!section.nodes || !section.npus_per_node) {
    return reading.fail(Errc::config_missing_key,
                        section.nodes ? "/remote_memory/npus_per_node" : "/remote_memory/nodes",
                        "is missing: per_node needs it");
  }
  memory.nodes = *section.nodes;
  memory.npus_per_node = *section.npus_per_node;
  if (memory.nodes * memory.npus_per_node < platform.npu_count()) {
    reading.fail(Errc::config_conflict, "/remote_memory/nodes",
                 fmt::format("{} nodes of {} devices are fewer than the cluster's {}", memory.nodes,
                             memory.npus_per_node, platform.npu_count()));
  }
}

}  // namespace

namespace {

Result<Platform> as_cluster(std::string_view text, const std::string& where, Findings& findings) {
  const Result<Json> tree = parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  Reading reading{where};
  ClusterSection file;
  if (tree->is_object() && tree->contains("topology") && tree->contains("npus_count")) {
    return fail(Errc::config_conflict, where,
                "this is an ASTRA-sim network file, not a cluster file",
                "give it as the network configuration, with a system configuration");
  }
  read_value(*tree, "", {}, file, reading);
  if (reading.error) return tl::unexpected(*reading.error);

  Platform platform;
  platform.rules = Rules::orrery;
  platform.network = file.network_model.value_or(file.fabric || file.remote_memory.kind ==
                                                                    RemoteMemoryKind::network
                                                     ? NetworkModelKind::flow
                                                     : NetworkModelKind::analytical);
  platform.name = file.name;
  platform.replay_only = file.replay_only;
  platform.track_local_memory = file.track_local_memory;
  if (file.shared_bus) {
    platform.shared_bus = SharedBus{file.shared_bus->latency_ns, file.shared_bus->overhead_ns,
                                    file.shared_bus->gap_ns, file.shared_bus->gap_per_byte_ns,
                                    file.shared_bus->reduction_delay_ns};
  }
  set_device(file.device, platform, reading);
  if (!reading.error) set_network(file, platform, findings, reading);
  if (!reading.error) set_collectives(file, platform, reading);
  if (!reading.error) set_remote_memory(file.remote_memory, platform, reading);
  if (!reading.error && file.deviations) set_deviations(*file.deviations, platform, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  if (const Result<void> checked = check_memories(platform, where); !checked)
    return tl::unexpected(checked.error());
  return platform;
}

/// It is what another tool wrote of a fabric, and nothing of a cluster file is in it.
bool is_only_a_fabric(std::string_view text) {
  if (!describe(topology_format(text)).is_fabric) return false;
  const Result<Json> tree = parse_yaml(text, "");
  return !tree || !tree->is_object() ||
         !(tree->contains("device") || tree->contains("network") || tree->contains("fabric"));
}

tl::unexpected<Error> refused_fabric(std::string_view text, const std::string& where) {
  return fail(Errc::config_conflict, where,
              fmt::format("{}: a fabric, not a cluster file", describe(topology_format(text)).name),
              "name it in a cluster file: `device: h100-sxm` and `fabric: FILE`; 'orrery topology' "
              "looks at a fabric alone");
}

}  // namespace

Result<Platform> parse_cluster(std::string_view text, const std::string& where,
                               Findings& findings) {
  Result<Platform> made = as_cluster(text, where, findings);
  return made || !is_only_a_fabric(text) ? made : refused_fabric(text, where);
}

Result<Platform> read_cluster(const std::string& path, Findings& findings) {
  std::error_code ignored;
  const bool made = is_catalogue_cluster(path) && !std::filesystem::exists(path, ignored);
  if (made) record_file_read(path);  // a file of this name would be taken instead
  const Result<std::string> text = made ? catalogue_cluster(path, findings) : read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_cluster(*text, path, findings);
}

}  // namespace orrery::platform
