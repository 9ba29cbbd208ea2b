// SPDX-License-Identifier: Apache-2.0
//
// What the cluster file's tables say, the other way round: schema, reference page, and a platform
// as a file.
#include <fmt/format.h>

#include <cmath>

#include "orrery/config/yaml_writer.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/file/cluster_file.h"

namespace orrery::platform {
namespace {

PlanValue plan_value(const CollectivePlan& plan) {
  PlanValue value;
  value.algorithms = plan.per_dim;
  value.custom = plan.custom_prefix;
  return value;
}

InNetworkSection section_of(const InNetwork& figures) {
  InNetworkSection section{figures.latency, figures.buffer, figures.radix, figures.streams, {}};
  if (figures.adds != 0) section.adds = Summands{figures.adds};
  return section;
}

std::optional<StepEffectsSection> section_of(const StepEffects& in_step) {
  if (!in_step.gap && in_step.factors.empty() && !in_step.overlap && !in_step.collectives)
    return std::nullopt;
  StepEffectsSection section{in_step.gap, {}, {}, in_step.collectives};
  if (in_step.overlap)
    section.collective_overlap = OverlapSection{in_step.overlap->products, in_step.overlap->others};
  for (const StepEffects::Factor& one : in_step.factors)
    section.factors.push_back({one.bits, one.factor, one.lower, one.upper});
  return section;
}

std::optional<LibrarySection> section_of(const LibrarySettings& settings) {
  if (settings == LibrarySettings{.curves = settings.curves}) return std::nullopt;
  LibrarySection section{settings.algorithms,   settings.protocols, settings.min_channels,
                         settings.max_channels, {settings.nvls},    {settings.collnet},
                         std::nullopt};
  if (!settings.tuner.empty()) section.tuner = settings.tuner;
  return section;
}

CollectivesSection section_of(const CollectiveConfig& config) {
  CollectivesSection collectives;
  collectives.library = config.library;
  collectives.settings = section_of(config.settings);
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

RemoteMemorySection section_of(const RemoteMemory& memory) {
  RemoteMemorySection section;
  section.kind = memory.kind;
  section.latency = memory.latency;
  section.spread = memory.spread;
  if (memory.kind != RemoteMemoryKind::none && memory.kind != RemoteMemoryKind::network)
    section.bandwidth = memory.bandwidth;
  if (memory.groups != 1) section.groups = memory.groups;
  if (memory.chunk != Bytes{}) section.chunk = memory.chunk;
  section.in_switch = memory.in_switch;
  for (const MemoryStage& stage : memory.stages) {
    if (!section.stages) section.stages.emplace();
    MemoryStageSection& to = section.stages->emplace_back();
    to.shape = stage.shape;
    to.bandwidth = stage.bandwidth;
    if (stage.shape == MemoryShape::straight)
      to.links = stage.links;
    else
      to.sizes = stage.sizes;
    if (stage.devices != 0) to.devices = stage.devices;
  }
  if (memory.kind == RemoteMemoryKind::per_node) {
    section.nodes = memory.nodes;
    section.npus_per_node = memory.npus_per_node;
  }
  return section;
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
  if (const auto& expansion = device.expansion)
    file.device.memory_expansion =
        ExpansionSection{expansion->bandwidth, expansion->capacity, expansion->access};
  file.device.compute = device.compute;
  for (const KernelFileEntry& row : kKernelFileTable)
    if (const std::string& path = device.kernel_files.*row.path; !path.empty())
      file.device.*row.key_path = path;
  file.device.in_step = section_of(device.in_step);
  if (device.clock_mhz > 0) file.device.clock_mhz = device.clock_mhz;
  file.network.emplace();
  for (const Dimension& dim : platform.dims) {
    const Time latency(std::llround(dim.latency_ns * kPsPerNs));
    DimSection& made =
        file.network->emplace_back(DimSection{dim.block, dim.size, {}, {}, {}, {}, {}});
    if (platform.fabric) continue;  // it has the figures
    made.bandwidth = dim.bandwidth;
    made.latency = latency;
    if (dim.in_network) made.in_network = section_of(*dim.in_network);
    if (dim.memories) {
      made.memories = {
          dim.memories->count, LinkSection{{}, dim.memories->bandwidth, dim.memories->latency}, {}};
      if (dim.memories->rate.count() > 0) made.memories->rate = dim.memories->rate;
    }
  }
  if (platform.fabric) file.fabric = platform.fabric->definition;
  file.network_model = platform.network;

  file.collectives = section_of(platform.collectives);
  file.endpoint_delay = platform.collectives.endpoint_delay;

  file.remote_memory = section_of(platform.remote_memory);
  if (platform.shared_bus) {
    const SharedBus& bus = *platform.shared_bus;
    file.shared_bus = BusSection{bus.L, bus.o, bus.g, bus.G, bus.reduction_delay};
  }
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
         "catalogue](catalogue.md).\n" +
         part<ExpansionSection>("device: memory_expansion") +
         "\nWhat it does to a job is on [the page on "
         "memory](../memory.md#memory-beside-a-device).\n";
}

std::string algorithm_reference() {
  std::string text = "\n| algorithm | what it does | limits |\n|---|---|---|\n";
  for (const AlgorithmEntry& one : kAlgorithms) {
    std::vector<std::string_view> limits;
    if (one.power_of_two) limits.push_back("a power of two members");
    if (one.all_reduce_only) limits.push_back("all-reduce only");
    if (!one.all_to_all && !one.all_reduce_only) limits.push_back("no all-to-all");
    if (one.by_switches) limits.push_back("switches that can; all-to-all only of tokens");
    if (!one.joins) limits.push_back("dimension by dimension");
    text += fmt::format("| `{}` | {} | {} |\n", one.name, one.sentence, join(limits, "; "));
  }
  return text + fmt::format(
                    "\n`{0}` and the name of an algorithm, as in `{0}ring`, stands alone and joins "
                    "all dimensions into one. `{1}` may carry a window, the number of messages in "
                    "flight, as in `direct:4`.\n",
                    kJoinedPrefix, join(window_names(), "` and `"));
}

std::string library_reference() {
  return part<LibrarySection>("collectives: settings") +
         "\n`collectives: nccl` is short for `collectives: {library: nccl}`. What a library takes, "
         "and how that is known, says [the page on collectives](../collectives.md).\n";
}

std::string memory_reference() {
  return part<RemoteMemorySection>("remote_memory") +
         part<MemoryStageSection>("remote_memory: stages") +
         "\nWho shares what, and an example, are on [the page on remote "
         "memory](../remote-memory.md).\n";
}

std::string fabric_reference() {
  return part<FabricSection>("fabric") +
         "\nA fabric is a graph of devices, NICs, switches and links, either read from a `file` of "
         "another tool or made of `hosts` and a `network` between them. "
         "[Fabrics](../fabrics.md) has examples.\n" +
         part<HostSection>("fabric: hosts") + part<PackageSection>("fabric: hosts: package") +
         part<LinkSection>("fabric: links") +
         "\n`port: ib-ndr` is short for `port: {link: ib-ndr}`.\n" +
         part<FabricNetworkSection>("fabric: network") + part<GroupSection>("fabric: groups") +
         part<LevelSection>("fabric: levels") + part<LinkDefaultSection>("fabric: defaults") +
         part<RoutingSection>("fabric: routing") +
         "\n`routing: ecmp` is short for `routing: {policy: ecmp}`.\n" +
         part<FaultSection>("fabric: faults") + part<ReducerSection>("fabric: in_network") +
         "\n`with` has the keys of `in_network` above.\n" +
         part<FabricMemoriesSection>("fabric: memories") +
         part<TransportSection>("fabric: transport");
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
        "# From ASTRA-sim's files. Read as a cluster file this follows Orrery's rules, not "
        "ASTRA-sim's.\n";
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
      "`orrery check` validates a file. Examples are in `examples/clusters/`.\n\n"
      "```yaml\nversion: 1\nname: dgx-h100-128\ndevice: h100-sxm\nnetwork:\n"
      "  - {block: switch, size: 8, link: nvlink4}\n  - {block: switch, size: 16, link: "
      "ib-ndr}\n```\n";
  text += part<ClusterSection>("Top level");
  text += device_reference();
  text += part<DimSection>("network");
  text +=
      "\nRanks count the innermost dimension fastest: rank = a0 + n0 * (a1 + n1 * (a2 + ...)).\n";
  text += part<InNetworkSection>("in_network") + part<MemoriesSection>("memories");
  text += fabric_reference();
  text += part<CollectivesSection>("collectives");
  text += algorithm_reference();
  text += library_reference();
  text += memory_reference();
  text += part<BusSection>("shared_bus");
  text += part<DeviationSection>("deviations");
  text +=
      "\nFor example, a rank that computes at half speed and a node behind a tired cable:\n\n"
      "```yaml\ndeviations:\n  - {ranks: 3, compute_time: 2}\n"
      "  - {ranks: 8-15, start: 5 ms, ports: [{dimension: 1, bandwidth: 0.5, latency: 1 us}]}\n"
      "```\n\n"
      "All compute nodes are scaled, however their time was found; those on the host only where "
      "the "
      "rank has no device. Of recorded traces the host beside a device, copies, and communication "
      "that takes its recorded time have factors of their own. Times of simulated communication "
      "and "
      "of memory are not scaled.\n";
  text += part<KernelSection>("deviations: kernels");
  text +=
      "\nThat attention becomes a third faster on all ranks:\n\n"
      "```yaml\ndeviations:\n  - {ranks: 0-15, kernels: [{name: flash, time: 0.67}]}\n```\n\n"
      "It is the recorded time of what runs on the device (of everything, where a trace has no "
      "device) that changes; what is simulated does not. A name that no node has is a finding "
      "(`key_without_effect`).\n";
  text += part<PortSection>("deviations: ports");
  text +=
      "\n`analytical`: in each dimension a message crosses, the slower of its two ends' ports "
      "counts, and both ends' "
      "latency. `message`: each link counts, by the ports at its two ends; a message that passes "
      "through a rank uses that rank's ports.\n";
  return text;
}

}  // namespace orrery::platform
