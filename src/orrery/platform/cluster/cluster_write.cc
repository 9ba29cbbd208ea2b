// SPDX-License-Identifier: Apache-2.0
//
// The writer of cluster files, and the schema and reference page of their format.
#include <fmt/format.h>

#include <cmath>

#include "orrery/config/yaml_writer.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/file/cluster_file.h"
#include "orrery/platform/cluster/pcie_default.h"

namespace orrery::platform {
namespace {

PlanValue plan_value(const CollectivePlan& plan) {
  PlanValue value;
  value.algorithms = plan.per_dim;
  value.custom = plan.custom_prefix;
  return value;
}

CollectivesSection section_of(const CollectiveConfig& config) {
  CollectivesSection collectives;
  collectives.library = config.library;
  if (config.settings != LibrarySettings{.curves = config.settings.curves})
    collectives.settings = config.settings;
  if (!config.settings.curves.empty()) collectives.curves = config.settings.curves;
  collectives.chunks = {config.splits, config.splits_by_model};
  collectives.active_chunks = config.active_chunks;
  collectives.queues_per_dim = config.queues_per_dim;
  collectives.policy = config.policy;
  collectives.optimization = config.optimization;
  collectives.order = config.inter_dimension;
  collectives.within = config.intra_dimension;
  if (config.library == CollectiveLibrary::ideal) {
    collectives.all_reduce = plan_value(config.all_reduce);
    collectives.all_gather = plan_value(config.all_gather);
    collectives.reduce_scatter = plan_value(config.reduce_scatter);
    collectives.all_to_all = plan_value(config.all_to_all);
  }
  collectives.custom_by_node.by_id = config.custom_by_node;
  collectives.rendezvous = config.rendezvous;
  return collectives;
}

ClusterSection section_of(const Platform& platform) {
  ClusterSection file;
  file.name = platform.name;
  if (!platform.device.name.empty()) file.device.name = platform.device.name;
  const Device& device = platform.device;
  if (!device.entry.empty()) {
    file.device.is = device.entry;
    file.device.precision = device.precision;
  }
  if (device.peak.count() > 0) file.device.peak = device.peak;
  if (platform.device.memory.count() > 0) file.device.memory_bandwidth = platform.device.memory;
  file.device.memory_capacity = platform.device.memory_capacity;
  file.device.memory_expansion = device.expansion;
  file.device.compute = device.compute;
  for (const KernelFileEntry& row : kKernelFileTable)
    if (const std::string& path = device.kernel_files.*row.path; !path.empty())
      file.device.*row.key_path = path;
  file.device.in_step = device.in_step;
  if (device.clock_mhz > 0) file.device.clock_mhz = device.clock_mhz;
  if (device.power_limit_w > 0) file.device.power_limit_w = device.power_limit_w;
  file.network.emplace();
  for (const Dimension& dim : platform.dims) {
    const Time latency(std::llround(dim.latency_ns * kPsPerNs));
    DimSection& made =
        file.network->emplace_back(DimSection{dim.block, dim.size, {}, {}, {}, {}, {}});
    if (platform.fabric) continue;  // it has the link values
    const LinkEntry* pcie = find_link(dim.unknown_pcie);
    if (pcie != nullptr && dim.bandwidth == unknown_pcie_bandwidth(*pcie, dim.size))
      made.link = dim.unknown_pcie;
    else
      made.bandwidth = dim.bandwidth;
    made.latency = latency;
    made.in_network = dim.in_network;
    if (const auto& memories = dim.memories)
      made.memories = {*memories, LinkSection{{}, memories->bandwidth, memories->latency}};
  }
  if (platform.fabric) file.fabric = platform.fabric->definition;
  file.network_model = platform.network;
  if (platform.packets) file.packets = *platform.packets;
  if (platform.noc) file.noc = *platform.noc;

  file.collectives = section_of(platform.collectives);
  file.endpoint_delay = platform.collectives.endpoint_delay;

  file.remote_memory = platform.remote_memory;
  file.shared_bus = platform.shared_bus;
  if (!platform.deviations.empty()) file.deviations = deviation_sections(platform);
  file.replay_only = platform.replay_only;
  file.track_local_memory = platform.track_local_memory;
  return file;
}

template <class Section>
std::string part(std::string_view title) {
  return fmt::format("\n## {}\n\n{}", title, reference_table<Section>());
}

std::string device_reference() {
  return part<DeviceSection>("device") +
         "\n`device: h100-sxm` is short for `device: {is: h100-sxm}`. The names are in [the "
         "catalog](catalog.md).\n" +
         part<MemoryExpansion>("device: memory_expansion") +
         "\n"
         "[The page on memory](../memory.md#expansion-memory) describes its effect on a "
         "job.\n";
}

std::string algorithm_reference() {
  std::string text =
      "\n"
      "| algorithm | description | limits |\n"
      "|---|---|---|\n";
  for (const AlgorithmEntry& one : kAlgorithms) {
    std::vector<std::string_view> limits;
    if (one.power_of_two) limits.push_back("the number of members is a power of two");
    if (one.all_reduce_only) limits.push_back("all-reduce only");
    if (!one.all_to_all && !one.all_reduce_only) limits.push_back("no all-to-all");
    if (one.by_switches) limits.push_back("switches with `in_network`; all-to-all only for tokens");
    if (!one.joins) limits.push_back("dimension by dimension");
    text += fmt::format("| `{}` | {} | {} |\n", one.name, one.sentence, join(limits, "; "));
  }
  return text + fmt::format(
                    "\n"
                    "`{0}` and the name of an algorithm, as in `{0}ring`, must be the only "
                    "algorithm and joins all dimensions into one. `{1}` can have a window, the "
                    "number of messages in flight, as in `direct:4`.\n",
                    kJoinedPrefix, join(window_names(), "` and `"));
}

std::string library_reference() {
  return part<LibrarySettings>("collectives: settings") +
         "\n"
         "`collectives: nccl` is short for `collectives: {library: nccl}`. [The page on "
         "collectives](../collectives.md) describes the times of a library and their sources.\n";
}

std::string memory_reference() {
  return part<RemoteMemory>("remote_memory") + part<MemoryStage>("remote_memory: stages") +
         "\n"
         "[The page on remote memory](../remote-memory.md) explains sharing and has an example.\n";
}

std::string fabric_reference() {
  return part<FabricSection>("fabric") +
         "\n"
         "A fabric is a graph of devices, NICs, switches and links, either read from a `file` of "
         "another tool or built from `hosts` and a `network` between them. "
         "[Fabrics](../fabrics.md) has examples.\n" +
         part<HostSection>("fabric: hosts") + part<PackageSection>("fabric: hosts: package") +
         part<LinkSection>("fabric: links") +
         "\n`port: ib-ndr` is short for `port: {link: ib-ndr}`.\n" +
         part<FabricNetworkSection>("fabric: network") + part<GroupSection>("fabric: groups") +
         part<LevelSection>("fabric: levels") + part<LinkFigures>("fabric: defaults") +
         part<RoutingSection>("fabric: routing") +
         "\n`routing: ecmp` is short for `routing: {policy: ecmp}`.\n" +
         part<FaultSection>("fabric: faults") + part<ReducerSection>("fabric: in_network") +
         "\n`with` has the keys of `in_network` above.\n" +
         part<FabricMemoriesSection>("fabric: memories") +
         part<TransportSection>("fabric: transport");
}

std::string deviation_reference() {
  std::string text = part<DeviationSection>("deviations");
  text +=
      "\n"
      "For example, a rank that computes at half speed, and a node with a degraded cable:\n"
      "\n"
      "```yaml\n"
      "deviations:\n"
      "  - {ranks: 3, compute_time: 2}\n"
      "  - {ranks: 8-15, start: 5 ms, ports: [{dimension: 1, bandwidth: 0.5, latency: 1 us}]}\n"
      "```\n"
      "\n"
      "`compute_time` scales all compute nodes, whatever the source of their time; it scales nodes "
      "on the host only if the rank has no device. For recorded traces, host work on ranks with a "
      "device, copies, and communication with its recorded time have separate factors. Times of "
      "simulated communication and of memory are not scaled.\n";
  text += part<Deviation::Kernel>("deviations: kernels");
  text +=
      "\n"
      "For example, attention takes a third less time on all ranks:\n"
      "\n"
      "```yaml\n"
      "deviations:\n"
      "  - {ranks: 0-15, kernels: [{name: flash, time: 0.67}]}\n"
      "```\n"
      "\n"
      "The factor scales the recorded time of device work (of all work, if a trace has no device); "
      "it does not scale simulated times. If no node has the name, Orrery reports the finding "
      "`key_without_effect`.\n";
  text += part<PortSection>("deviations: ports");
  text +=
      "\n"
      "`analytical`: in each dimension that a message crosses, the slower port of its two ends "
      "applies, and the latency of both ends. `message`: for each link, the ports at its two ends "
      "apply; a message that passes through a rank uses that rank's ports.\n";
  return text;
}

}  // namespace

std::string cluster_schema() {
  OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "Orrery cluster"}};
  schema.update(schema_of(Kind<ClusterSection>{}, {}));
  return schema.dump(2) + "\n";
}

std::string resolved_cluster(const Platform& platform) {
  std::string text;
  if (platform.rules == Rules::astra) {
    text =
        "# From ASTRA-sim files. As a cluster file, it follows Orrery's rules, not ASTRA-sim's.\n";
  }
  return text + config::to_yaml(write_value(section_of(platform)));
}

std::string cluster_reference() {
  std::string text =
      "# The cluster file\n\n"
      "<!-- Generated from src/orrery/platform/cluster/file/cluster_file.h. To renew it, run the "
      "platform tests "
      "with "
      "ORRERY_UPDATE_DOCS=1. -->\n\n"
      "One YAML or JSON document. Quantities are text with a unit: GB is 10^9 bytes, GiB is 2^30, "
      "a small b is a bit; "
      "only 0 needs no unit. An unknown key is an error. `orrery schema cluster` prints the JSON "
      "Schema of this page, "
      "`orrery trace validate` validates a file. Examples are in `examples/clusters/`.\n\n"
      "```yaml\nversion: 1\nname: dgx-h100-128\ndevice: h100-sxm\nnetwork:\n"
      "  - {block: switch, size: 8, link: nvlink4}\n  - {block: switch, size: 16, link: "
      "ib-ndr}\n```\n";
  text += part<ClusterSection>("Top level");
  text += device_reference();
  text += part<DimSection>("network");
  text +=
      "\nRanks count the innermost dimension fastest: rank = a0 + n0 * (a1 + n1 * (a2 + ...)).\n";
  text += part<InNetwork>("in_network") + part<MemoriesSection>("memories");
  text += fabric_reference();
  text += part<PacketSettings>("packets");
  text += part<PacketPriorities>("priorities") + part<DcqcnSettings>("dcqcn") +
          part<HpccSettings>("hpcc") + part<SwiftSettings>("swift") +
          part<CreditSettings>("credits") + part<PacketClass>("classes");
  text += part<NocSettings>("noc") + part<NocClock>("noc: clocks");
  text += part<CollectivesSection>("collectives");
  text += algorithm_reference();
  text += library_reference();
  text += memory_reference();
  text += part<SharedBus>("shared_bus");
  return text + deviation_reference();
}

}  // namespace orrery::platform
