// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/clusters/cluster_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "orrery/core/limits.h"
#include "orrery/core/system/memory_limit.h"
#include "orrery/core/system/module_file.h"
#include "orrery/core/text/units.h"
#include "orrery/network/noc_network.h"
#include "orrery/network/ns3_network.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/study/collectives/algorithms/algorithm_choice.h"

namespace orrery::study {

using platform::Platform;
using platform::Rules;

namespace {

/// Whether a model chooses chunks or their order, which only Orrery's rules support.
bool chosen_by_model(const platform::CollectiveConfig& config) {
  using platform::InterDimension;
  return config.splits_by_model || config.inter_dimension == InterDimension::best ||
         config.inter_dimension == InterDimension::themis_published;
}

Result<void> check_flits(const Platform& platform, const std::string& where) {
  if (platform.network != platform::NetworkModelKind::noc) return {};
  return model::check_noc(platform, where);
}

}  // namespace

Result<void> load_network(const Question& question, Platform& platform) {
  if (platform.network != platform::NetworkModelKind::ns3) return {};
  if (auto fine = model::check_ns3(platform, question.cluster); !fine) return fine;
  auto plugin = model::load_ns3_plugin(module_file(model::kNs3PluginFile));
  if (!plugin) {
    plugin.error().where =
        question.network.empty() ? question.cluster + ":/network_model" : "--network ns3";
    return tl::unexpected(plugin.error());
  }
  platform.ns3 = *plugin;
  return {};
}

Result<void> check_network(const Question& question, const Platform& platform) {
  const NetworkModelEntry& network = network_model(platform.network);
  if (platform.rules == Rules::astra && !network.astra_sim)
    return fail(Errc::config_conflict, "--network " + std::string(network.name),
                "ASTRA-sim has no such network",
                "--rules orrery, or --network analytical or message");
  if (platform.rules == Rules::astra && platform.fabric != nullptr)
    return fail(Errc::config_conflict, "--rules astra", "ASTRA-sim has no fabrics",
                "--rules orrery");
  if (platform.rules == Rules::astra && question.collective_algorithm == kAutoAlgorithm)
    return fail(Errc::config_conflict, "--collective-algorithm auto",
                "under ASTRA-sim's rules the system file sets the algorithms", "--rules orrery");
  if (platform.rules == Rules::astra && chosen_by_model(platform.collectives))
    return fail(Errc::config_conflict, "--rules astra",
                "ASTRA-sim has its own rules for the number and order of chunks",
                "--rules orrery, or a number of chunks and another order (docs/chunk-order.md)");
  if (platform.rules == Rules::astra && platform::uses_switches(platform.collectives))
    return fail(Errc::config_conflict, "--rules astra", "ASTRA-sim has no in-network reduction",
                "--rules orrery, or other algorithms");
  const platform::RemoteMemory& memory = platform.remote_memory;
  if (platform.rules == Rules::astra &&
      (memory.kind == platform::RemoteMemoryKind::network || !memory.stages.empty() ||
       memory.groups > 1 || memory.in_switch || memory.chunk > Bytes{}))
    return fail(
        Errc::config_conflict, "--rules astra",
        "ASTRA-sim's remote memories have no groups, stages, chunks or switches, and are not "
        "in its network",
        "--rules orrery");
  if (auto checked = platform::check_memories(platform, question.cluster); !checked) return checked;
  if (platform.fabric != nullptr) {
    if (auto checked = platform::check_faults(platform, question.cluster); !checked) return checked;
    return check_flits(platform, question.cluster);
  }
  if ((network.builds_graph || memory.kind == platform::RemoteMemoryKind::network) &&
      !platform::has_room_for_flows(platform))
    return fail(Errc::limit_exceeded, question.cluster,
                fmt::format("the network has more than {} links, or its graph needs more memory "
                            "than the {} that are available",
                            limits::kFabricLinks,
                            format_bytes(Bytes(static_cast<std::int64_t>(
                                std::min(available_memory(), std::uint64_t{1} << 60))))),
                "--network analytical needs no links");
  return check_flits(platform, question.cluster);
}

Result<void> check_offload(const workload::Spec& spec, const Platform& platform,
                           const std::string& where) {
  const platform::RemoteMemory& memory = platform.remote_memory;
  const bool gathers = memory.in_switch && memory.kind == platform::RemoteMemoryKind::pool;
  if (spec.offload.in_switch && !gathers)
    return fail(Errc::config_conflict, where,
                "no switches of its remote memory gather for all ranks, but the job's `offload` is "
                "`in_switch`",
                "give the cluster's `remote_memory` `kind: pool` and `in_switch: true`");
  const bool none = memory.kind == platform::RemoteMemoryKind::none;
  const platform::DeviceEntry* const device = platform::find_device(platform.device.entry);
  const bool has_host = device != nullptr && !device->host_link.empty();  // see with_host_memory
  if (!none || has_host || !(spec.offload.optimizer || spec.offload.weights)) return {};
  return fail(Errc::config_conflict, where,
              "the cluster has no remote memory, but the job's `offload` places state there",
              "add a `remote_memory` to the cluster file, for example host memory: {kind: per_npu, "
              "bandwidth: 55 GB/s}");
}

}  // namespace orrery::study
