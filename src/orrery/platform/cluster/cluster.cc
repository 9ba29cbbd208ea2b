// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "orrery/core/system/file_read_recorder.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/cluster_collectives.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/file/cluster_file.h"
#include "orrery/platform/cluster/packets_check.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform {
namespace {

void check_factors(const StepEffects& in_step, Reading& reading) {
  for (std::size_t i = 0; i < in_step.factors.size(); ++i) {
    const std::int64_t bits = in_step.factors[i].bits;
    const auto same = [&](const StepEffects::Factor& other) { return other.bits == bits; };
    if (std::count_if(in_step.factors.begin(), in_step.factors.end(), same) > 1)
      return reading.fail(Errc::config_range, pointer("/device/in_step/factors", i) + "/bits",
                          fmt::format("{} bits have two factors", bits));
  }
}

/// Sets the sources of compute times. Precondition: all other members of `device` are set.
void set_compute(const DeviceSection& section, Device& device, Reading& reading) {
  device.compute = section.compute;
  for (const KernelFileEntry& row : kKernelFileTable)
    device.kernel_files.*row.path = (section.*row.key_path).value_or("");
  device.in_step = section.in_step;
  check_factors(device.in_step, reading);
  const DeviceEntry* entry = find_device(device.entry);
  if (entry != nullptr && device.in_step.factors.empty()) device.in_step.factors = entry->in_step;
}

/// The compute model has the files and the peak that it needs.
void check_compute(const DeviceSection& section, Device& device, Reading& reading) {
  const KernelFileEntry* const file = kernel_file_of(section.compute);
  if (file != nullptr && (device.kernel_files.*file->path).empty())
    return reading.fail(Errc::config_missing_key, fmt::format("/device/{}", file->key),
                        fmt::format("is missing: `compute` needs a {}", file->what),
                        fmt::format("give {}, or use another model", file->content));
  if (device.peak.count() > 0 || section.compute == TimeSource::recorded) return;
  if (section.compute == TimeSource::automatic && has_file_for_auto(device.kernel_files)) return;
  if (section.compute != TimeSource::automatic)
    return reading.fail(Errc::config_missing_key, "/device/peak",
                        "is missing: the compute model needs it");
  device.compute = TimeSource::recorded;
}

/// A limit needs the power of the board, and kernel times that a model predicts at that power.
void set_power_limit(const DeviceSection& section, Device& device, Reading& reading) {
  if (!section.power_limit_w) return;
  constexpr const char* kPlace = "/device/power_limit_w";
  const DeviceEntry* entry = find_device(device.entry);
  if (entry == nullptr || entry->power_w <= 0)
    return reading.fail(Errc::config_conflict, kPlace,
                        "is given, but the catalog has no power of this device",
                        "name a device of the catalog that has a power, or remove the limit");
  if (*section.power_limit_w > entry->power_w)
    return reading.fail(Errc::config_range, kPlace,
                        fmt::format("is above the power of the board, {} W", entry->power_w),
                        "remove it: without it, the device may use all of this power");
  if (device.has_custom_peak())
    return reading.fail(Errc::config_conflict, kPlace,
                        "is given, but also `peak`, and only predicted kernels follow a limit",
                        "give the peak that the device sustains under the limit, or the limit");
  device.power_limit_w = *section.power_limit_w;
}

void set_device(const DeviceSection& section, Platform& platform, Reading& reading) {
  const DeviceEntry* entry = nullptr;
  if (section.is) {
    entry = find_device(*section.is);
    if (entry == nullptr) {
      return reading.fail(Errc::config_range, "/device/is",
                          in_quotes(*section.is) + " is not in the catalog",
                          device_hint(*section.is));
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
          in_quotes(*section.precision) + " has no peak in the catalog for this device",
          known.empty() ? "name a catalog device with `is`, or give `peak`"
                        : "the device has " + join(known));
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
                        "is missing: the device is not from the catalog",
                        "name a catalog device with `is`, or give memory_bandwidth");
  }
  device.expansion = section.memory_expansion;
  if (device.expansion && device.memory_capacity == Bytes{})
    return reading.fail(Errc::config_missing_key, "/device/memory_capacity",
                        "is missing: `memory_expansion` holds only data that exceeds it",
                        "give the capacity of the device's memory");
  device.clock_mhz = section.clock_mhz.value_or(0);
  set_power_limit(section, device, reading);
  set_compute(section, device, reading);
  check_compute(section, device, reading);
}

/// Whether a section sets the key to a value other than `false`.
bool is_set(const Json& section, const char* key) {
  const auto found = section.find(key);
  return found != section.end() && !found->is_null() && *found != false;
}

/// An error for the first of `keys` that `section`, the remote memory as written, sets.
void reject_keys(const Json& section, std::initializer_list<const char*> keys, const char* what,
                 const char* hint, Reading& reading) {
  for (const char* key : keys) {
    if (is_set(section, key))
      reading.fail(Errc::config_conflict, fmt::format("/remote_memory/{}", key), what, hint);
  }
}

/// `section`: the stage as written.
void check_stage(const MemoryStage& stage, const Json& section, const std::string& path,
                 Reading& reading) {
  if (stage.shape == MemoryShape::straight) {
    if (!stage.sizes.empty())
      reading.fail(Errc::config_conflict, path + "/sizes", "is for a ring or a mesh");
    return;
  }
  if (is_set(section, "links"))
    reading.fail(Errc::config_conflict, path + "/links", "is for straight links");
  if (stage.sizes.empty())
    return reading.fail(Errc::config_missing_key, path + "/sizes",
                        "is missing: a ring or a mesh needs it");
  if (stage.shape == MemoryShape::ring && stage.sizes.size() != 1)
    return reading.fail(Errc::config_range, path + "/sizes", "must have one number for a ring");
  double places = 1;
  for (const std::int64_t size : stage.sizes) {
    places *= static_cast<double>(size);
    if (size < 1 || places > static_cast<double>(limits::kRanks))
      return reading.fail(
          Errc::config_range, path + "/sizes",
          fmt::format("must be at least 1, with a product of at most {}", limits::kRanks));
  }
}

void check_nodes(const RemoteMemory& memory, std::int64_t npus, Reading& reading) {
  if (memory.nodes == 0 || memory.npus_per_node == 0)
    return reading.fail(Errc::config_missing_key,
                        memory.nodes == 0 ? "/remote_memory/nodes" : "/remote_memory/npus_per_node",
                        "is missing: per_node needs it");
  if (memory.nodes * memory.npus_per_node < npus)
    reading.fail(Errc::config_conflict, "/remote_memory/nodes",
                 fmt::format("{} nodes of {} devices are fewer than the {} devices of the cluster",
                             memory.nodes, memory.npus_per_node, npus));
}

void check_noc(const NocSettings& noc, Reading& reading) {
  const auto conflict = [&](std::string_view key, std::string what, std::string hint) {
    reading.fail(Errc::config_conflict, fmt::format("/noc/{}", key), std::move(what),
                 std::move(hint));
  };
  if (noc.head >= noc.packet)
    conflict("head", "leaves no flit of a packet for the payload", "use less than `packet`");
  if (noc.speedup > noc.channels)
    conflict("speedup", "is above the number of channels", "use at most `channels`");
  if (noc.switching == NocSwitching::cut_through && noc.packet > noc.buffer)
    conflict("buffer", fmt::format("has no room for a packet of {} flits", noc.packet),
             "use at least `packet`, or `switching: wormhole`");
  for (std::size_t i = 0; i < noc.clocks.size(); ++i) {
    const NocClock& clock = noc.clocks[i];
    if (clock.routers.empty() && clock.from.empty() && clock.to.empty())
      conflict(fmt::format("clocks/{}", i), "names no router",
               "give `routers`, or the corners `from` and `to` of a box");
    else if (clock.from.size() != clock.to.size())
      conflict(fmt::format("clocks/{}", i), "has corners of different dimensions",
               "give `from` and `to` a position in each dimension");
  }
}

/// `section`: the remote memory as written.
void set_remote_memory(const RemoteMemory& memory, const Json& section, Platform& platform,
                       Reading& reading) {
  if (memory.kind == RemoteMemoryKind::none)
    return reject_keys(section, {"bandwidth", "stages", "groups", "chunk", "in_switch", "spread"},
                       "is given, but kind is none", "", reading);
  platform.remote_memory = memory;
  if (memory.kind == RemoteMemoryKind::network)
    return reject_keys(
        section, {"bandwidth", "groups", "stages", "chunk", "in_switch", "nodes", "npus_per_node"},
        "is given, but kind is network",
        "set the number and the links under `memories` of the network", reading);
  reject_keys(section, {"spread"}, "is for kind network only", "", reading);
  if (memory.bandwidth.count() == 0)
    reading.fail(Errc::config_missing_key, "/remote_memory/bandwidth",
                 "is missing: this kind of memory needs it");
  for (std::size_t i = 0; i < memory.stages.size(); ++i)
    check_stage(memory.stages[i], section["stages"][i], fmt::format("/remote_memory/stages/{}", i),
                reading);
  if (memory.kind == RemoteMemoryKind::per_node)
    check_nodes(memory, platform.npu_count(), reading);
  else
    reject_keys(section, {"nodes", "npus_per_node"}, "is for kind per_node only", "", reading);
}

Result<Platform> read_tree(std::string_view text, const std::string& where, Findings& findings) {
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
  if (file.packets) {
    check_packets(*file.packets, reading);
    platform.packets = std::make_shared<const PacketSettings>(*file.packets);
  }
  if (file.noc) {
    check_noc(*file.noc, reading);
    platform.noc = std::make_shared<const NocSettings>(*file.noc);
  }
  platform.name = file.name;
  platform.replay_only = file.replay_only;
  platform.track_local_memory = file.track_local_memory;
  platform.shared_bus = file.shared_bus;
  set_device(file.device, platform, reading);
  if (!reading.error) set_network(file, platform, findings, reading);
  if (!reading.error) set_collectives(file, platform, reading);
  if (!reading.error)
    set_remote_memory(file.remote_memory, tree->value("remote_memory", Json()), platform, reading);
  if (!reading.error && file.deviations) set_deviations(*file.deviations, platform, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  if (const Result<void> checked = check_memories(platform, where); !checked)
    return tl::unexpected(checked.error());
  return platform;
}

/// Whether it is a fabric in the format of another tool, without keys of a cluster file.
bool is_fabric_only(std::string_view text) {
  if (!describe(topology_format(text)).is_fabric) return false;
  const Result<Json> tree = parse_yaml(text, "");
  return !tree || !tree->is_object() ||
         !(tree->contains("device") || tree->contains("network") || tree->contains("fabric"));
}

tl::unexpected<Error> fabric_error(std::string_view text, const std::string& where) {
  return fail(
      Errc::config_conflict, where,
      fmt::format("{}: a fabric, not a cluster file", describe(topology_format(text)).name),
      "use it in a cluster file: `device: h100-sxm` and `fabric: FILE`; 'orrery network show' "
      "shows a fabric alone");
}

}  // namespace

Result<Platform> parse_cluster(std::string_view text, const std::string& where,
                               Findings& findings) {
  Result<Platform> made = read_tree(text, where, findings);
  return made || !is_fabric_only(text) ? made : fabric_error(text, where);
}

Result<Platform> read_cluster(const std::string& path, Findings& findings) {
  std::error_code ignored;
  const bool made = is_catalog_cluster(path) && !std::filesystem::exists(path, ignored);
  if (made) record_file_read(path);  // a file of this name would take precedence
  const Result<std::string> text = made ? catalog_cluster(path, findings) : read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_cluster(*text, path, findings);
}

}  // namespace orrery::platform
