// SPDX-License-Identifier: Apache-2.0
//
// The cluster file, key by key. These tables are the single source of its reader, schema, reference
// and writer. Private to this room.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/parameters.h"
#include "orrery/core/findings.h"
#include "orrery/core/limits.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/platform/cluster/file/collectives_section.h"
#include "orrery/platform/cluster/file/deviations_section.h"
#include "orrery/platform/cluster/file/fabric_section.h"
#include "orrery/platform/platform.h"

namespace orrery::config {

/// What times of compute nodes may be asked to come from.
template <>
struct EnumNames<TimeSource> {
  static constexpr auto names = [] {
    constexpr std::size_t kCount =
        std::count_if(kTimeSourceTable.begin(), kTimeSourceTable.end(), is_compute_choice);
    std::array<EnumName<TimeSource>, kCount> words{};
    auto next = words.begin();
    for (const TimeSourceEntry& row : kTimeSourceTable)
      if (is_compute_choice(row)) *next++ = {row.name, row.source};
    return words;
  }();
};
template <>
struct EnumNames<platform::RemoteMemoryKind> {
  static constexpr std::array names = {
      EnumName<platform::RemoteMemoryKind>{"none", platform::RemoteMemoryKind::none},
      EnumName<platform::RemoteMemoryKind>{"per_npu", platform::RemoteMemoryKind::per_npu},
      EnumName<platform::RemoteMemoryKind>{"per_node", platform::RemoteMemoryKind::per_node},
      EnumName<platform::RemoteMemoryKind>{"pool", platform::RemoteMemoryKind::pool},
      EnumName<platform::RemoteMemoryKind>{"network", platform::RemoteMemoryKind::network}};
};
template <>
struct EnumNames<platform::MemoryShape> {
  static constexpr std::array names = {
      EnumName<platform::MemoryShape>{"straight", platform::MemoryShape::straight},
      EnumName<platform::MemoryShape>{"ring", platform::MemoryShape::ring},
      EnumName<platform::MemoryShape>{"mesh", platform::MemoryShape::mesh}};
};
template <>
struct EnumNames<platform::MemoryAccess> {
  static constexpr std::array names = {
      EnumName<platform::MemoryAccess>{"in_turn", platform::MemoryAccess::sequential},
      EnumName<platform::MemoryAccess>{"at_once", platform::MemoryAccess::concurrent}};
};
template <>
struct EnumNames<platform::NetworkModelKind> {
  static constexpr std::array names = [] {
    std::array<EnumName<platform::NetworkModelKind>, kNetworkModels.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = {kNetworkModels[i].name, kNetworkModels[i].kind};
    return made;
  }();
};

}  // namespace orrery::config

namespace orrery::platform {

using config::about_kind;
using config::parse_yaml;
using config::pointer;
using config::read_text;
using config::read_value;
using config::reference_table;
using config::schema_of;
using config::write_value;

// The file's sections.

struct FactorSection {
  std::int64_t bits = 16;
  double factor = 1;
  double lower = 0, upper = 0;

  static constexpr auto fields = std::tuple{
      field("bits", &FactorSection::bits,
            "of one number of a kernel's first input: 16 for bf16, 8 for fp8", between(4, 64))
          .required(),
      field("factor", &FactorSection::factor, "they take so many times as long as alone",
            between(0.1, 10))
          .required(),
      field("least", &FactorSection::lower,
            "the factor's band, as a share of it: -0.1 is a tenth less", between(-0.9, 0)),
      field("most", &FactorSection::upper, "the other end of the band", between(0, 10))};
};

struct OverlapSection {
  double products = 1;
  double others = 1;

  static constexpr auto fields = std::tuple{
      field("products", &OverlapSection::products,
            "by how much products, attention and convolutions are slower", between(1, 10)),
      field("others", &OverlapSection::others, "by how much all other kernels are",
            between(1, 10))};
};

struct StepEffectsSection {
  std::optional<Time> gap;
  std::vector<FactorSection> factors;
  std::optional<OverlapSection> collective_overlap;
  std::optional<double> collectives;

  static constexpr auto fields = std::tuple{
      field("gap", &StepEffectsSection::gap,
            "from a kernel's end to the begin of the next that waits in the queue", between(0, 1e9))
          .by_default("as recorded on devices of its architecture"),
      field("factors", &StepEffectsSection::factors,
            "how much slower products are in your steps than models say that they are alone; 1 for "
            "none",
            between(0, 8))
          .by_default("the catalogue's, fitted to published steps"),
      field("beside_collectives", &StepEffectsSection::collective_overlap,
            "how much slower kernels are while a collective runs on their device")
          .by_default("from the SMs and the bandwidth that the library's collectives take"),
      field("collectives", &StepEffectsSection::collectives,
            "how many times as long as alone the library's collectives take in your steps, for the "
            "kernels that run beside them",
            between(0.5, 10))
          .by_default("assumed to take no longer")};
};

struct ExpansionSection {
  std::optional<Bandwidth> bandwidth;
  Bytes capacity{};
  MemoryAccess access = MemoryAccess::sequential;

  static constexpr auto fields = std::tuple{
      field("bandwidth", &ExpansionSection::bandwidth, "at which a device reads and writes it",
            positive())
          .required(),
      field("capacity", &ExpansionSection::capacity, "of a device; 0: as much as is needed"),
      field("access", &ExpansionSection::access,
            "whether a kernel's bytes in the one memory come after those in the other, or both at "
            "once")};
};

/// The keys of files that models of kernel times need.
constexpr auto kernel_file_fields() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return std::tuple{field(kKernelFileTable[i].key, kKernelFileTable[i].key_path,
                            kKernelFileTable[i].about_key)...};
  }
  (std::make_index_sequence<kKernelFileTable.size()>{});
}

struct DeviceSection : KernelFileKeys {
  std::optional<std::string> is;
  std::optional<std::string> name;
  std::optional<std::string> precision;
  std::optional<FlopRate> peak;
  std::optional<Bandwidth> memory_bandwidth;
  std::optional<Bytes> memory_capacity;
  std::optional<ExpansionSection> memory_expansion;
  std::optional<double> clock_mhz;
  TimeSource compute = TimeSource::automatic;
  std::optional<StepEffectsSection> in_step;

  static constexpr std::string_view shorthand = "is";
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("is", &DeviceSection::is,
                "a device of the catalogue; the keys below override its figures"),
          field("name", &DeviceSection::name, "what to call the device in results")
              .by_default("the catalogue's name"),
          field("precision", &DeviceSection::precision,
                "which of the catalogue's peaks to use, e.g. `bf16`, `fp8`")
              .by_default("the device's first"),
          field("peak", &DeviceSection::peak, "dense peak of one device", positive())
              .by_default("the catalogue's"),
          field("memory_bandwidth", &DeviceSection::memory_bandwidth,
                "local memory; reductions and compute are charged by it", positive())
              .by_default("the catalogue's"),
          field("memory_capacity", &DeviceSection::memory_capacity, "local memory; 0 = unknown")
              .by_default("the catalogue's"),
          field("memory_expansion", &DeviceSection::memory_expansion,
                "memory beside it for what a job from a model and a plan holds beyond "
                "`memory_capacity`"),
          field("clock_mhz", &DeviceSection::clock_mhz,
                "clock of its multiprocessors or arrays, in MHz", between(1, 1e5))
              .by_default("the catalogue's"),
          field(
              "compute", &DeviceSection::compute,
              "where the times of compute nodes come from; `auto`: recorded, else the best that is "
              "known for each kernel, or the roofline where `peak` is given here; `table`: the "
              "kernel table even where something was recorded, and as `auto` where it ends; "
              "`systolic`: "
              "products and convolutions by the array, even where they were recorded, the rest as "
              "`auto`; `fitted`: the kernel model as `table` the table")},
      kernel_file_fields(),
      std::tuple{
          field("in_step", &DeviceSection::in_step,
                "what a step adds to kernels whose times a model predicts for each kernel alone")});
};

struct DimSection {
  Block block = Block::switched;
  std::int64_t size = 2;
  std::optional<std::string> link;
  std::optional<Bandwidth> bandwidth;
  std::optional<Time> latency;
  std::optional<InNetworkSection> in_network;
  std::optional<MemoriesSection> memories;

  static constexpr auto fields = std::tuple{
      field("block", &DimSection::block, "how the members of this dimension are connected")
          .required(),
      field("size", &DimSection::size, "members of this dimension",
            between(1, static_cast<double>(limits::kRanks)))
          .required(),
      field("link", &DimSection::link,
            "a link of the catalogue; the keys below override its figures"),
      field("bandwidth", &DimSection::bandwidth,
            "per direction: of one link (ring, fully_connected) or one port (switch)", positive())
          .by_default("the link's"),
      field("latency", &DimSection::latency,
            "per hop; a ring or fully connected neighbour is 1 hop, a switch 2")
          .by_default("the link's"),
      field("in_network", &DimSection::in_network,
            "switch only: its switches sum what comes to them and send one thing to many, for the "
            "algorithm `in_network`; `{}`: without further figures"),
      field("memories", &DimSection::memories,
            "switch only: memories at each of its switches, for `remote_memory: {kind: network}`")};
};

struct MemoryStageSection {
  MemoryShape shape = MemoryShape::straight;
  std::optional<Bandwidth> bandwidth;
  std::optional<std::int64_t> links;
  std::optional<std::vector<std::int64_t>> sizes;
  std::optional<std::int64_t> devices;

  static constexpr auto fields = std::tuple{
      field("shape", &MemoryStageSection::shape,
            "links side by side, or places in a ring or mesh, over which memory and devices are "
            "spread evenly"),
      field("bandwidth", &MemoryStageSection::bandwidth, "of one link, in each direction",
            positive())
          .required(),
      field("links", &MemoryStageSection::links, "straight: how many side by side",
            between(1, static_cast<double>(limits::kRanks)))
          .by_default("1"),
      field("sizes", &MemoryStageSection::sizes, "ring: places; mesh: of each dimension",
            between(1, 16)),
      field("devices", &MemoryStageSection::devices,
            "how many devices share these links; the next so many have their own",
            between(1, static_cast<double>(limits::kRanks)))
          .by_default("all")};
};

struct RemoteMemorySection {
  RemoteMemoryKind kind = RemoteMemoryKind::none;
  Time latency{};
  std::optional<Bandwidth> bandwidth;
  std::optional<std::int64_t> groups;
  std::optional<std::vector<MemoryStageSection>> stages;
  std::optional<Bytes> chunk;
  bool in_switch = false;
  bool spread = false;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> npus_per_node;

  static constexpr auto fields = std::tuple{
      field("kind", &RemoteMemorySection::kind,
            "who shares it: nobody has any, each device, each node, all; `network`: the `memories` "
            "of the network, whose traffic meets messages"),
      field("latency", &RemoteMemorySection::latency, "per access"),
      field(
          "bandwidth", &RemoteMemorySection::bandwidth,
          "of one group of memory; required unless kind is none or `network`, where it is that of "
          "a memory's link",
          positive()),
      field("groups", &RemoteMemorySection::groups,
            "of memory side by side, over which all bytes are spread evenly",
            between(1, static_cast<double>(limits::kRanks)))
          .by_default("1"),
      field("stages", &RemoteMemorySection::stages,
            "links that all bytes cross, from the memory to devices", between(0, 16)),
      field("chunk", &RemoteMemorySection::chunk,
            "what a stage has whole before the next begins with it")
          .by_default("nothing: bytes go on as they come"),
      field(
          "in_switch", &RemoteMemorySection::in_switch,
          "switches gather what is loaded and reduce what is stored: all devices of a memory load "
          "and store the same, and it crosses each stage once"),
      field(
          "spread", &RemoteMemorySection::spread,
          "network only: every access goes evenly over all memories; otherwise over those that are "
          "the fewest links from its rank"),
      field("nodes", &RemoteMemorySection::nodes, "per_node only: how many",
            between(1, static_cast<double>(limits::kRanks))),
      field("npus_per_node", &RemoteMemorySection::npus_per_node, "per_node only: devices on each",
            between(1, static_cast<double>(limits::kRanks)))};
};

struct BusSection {
  std::int64_t latency_ns = 0, overhead_ns = 0, gap_ns = 0;
  double gap_per_byte_ns = 0;
  std::int64_t reduction_delay_ns = 1;

  static constexpr auto fields = std::tuple{
      field("latency_ns", &BusSection::latency_ns, "L of LogGP", between(0, 1e9)),
      field("overhead_ns", &BusSection::overhead_ns, "o of LogGP", between(0, 1e9)),
      field("gap_ns", &BusSection::gap_ns, "g of LogGP", between(0, 1e9)),
      field("gap_per_byte_ns", &BusSection::gap_per_byte_ns, "G of LogGP", between(0, 1e6)),
      field("reduction_delay_ns", &BusSection::reduction_delay_ns, "per 100 bytes reduced",
            between(0, 1e9))};
};

struct ClusterSection {
  std::optional<std::string> schema;
  std::int64_t version = 1;
  std::string name;
  DeviceSection device;
  std::optional<std::vector<DimSection>> network;
  std::optional<FabricSection> fabric;
  std::optional<NetworkModelKind> network_model;
  CollectivesSection collectives;
  Time endpoint_delay{};
  RemoteMemorySection remote_memory;
  std::optional<BusSection> shared_bus;
  std::optional<std::vector<DeviationSection>> deviations;
  bool replay_only = false;
  bool track_local_memory = false;

  static constexpr auto fields = std::tuple{
      field("$schema", &ClusterSection::schema, "for editors; not used"),
      field("version", &ClusterSection::version, "of this format", between(1, 1)),
      field("name", &ClusterSection::name, "what to call the cluster in results"),
      field("device", &ClusterSection::device, "one accelerator").required(),
      field("network", &ClusterSection::network,
            "its dimensions, innermost first; required unless there is a `fabric`", between(1, 16))
          .by_default("with a fabric: hosts and what is between them"),
      field("fabric", &ClusterSection::fabric,
            "the network as a graph; `network` is then only what collectives take it for"),
      field("network_model", &ClusterSection::network_model, kNetworkSentences)
          .by_default("`analytical`; with a fabric, or memories in the network, `flow`"),
      field("collectives", &ClusterSection::collectives,
            "how collectives are cut, ordered and run"),
      field("endpoint_delay", &ClusterSection::endpoint_delay,
            "per message, between a device and its memory", between(0, 2e15)),
      field("remote_memory", &ClusterSection::remote_memory, "memory behind the network"),
      field("shared_bus", &ClusterSection::shared_bus,
            "a LogGP bus between each device and its memory"),
      field("deviations", &ClusterSection::deviations, "ranks that are not like the others",
            between(0, static_cast<double>(limits::kRanks))),
      field("replay_only", &ClusterSection::replay_only,
            "every node, communication too, takes its recorded duration"),
      field("track_local_memory", &ClusterSection::track_local_memory,
            "follow each tensor's residence in local memory")};
};

/// The network's dimensions and fabric. Errc: config_*, and what make_fabric() says.
void set_network(const ClusterSection& file, Platform& platform, Findings& findings,
                 Reading& reading);

/// Decides whose collectives run, and takes over the settings of that library.
void set_library(const ClusterSection& file, Platform& platform, Reading& reading);

/// Checks the ranks and dimensions against `platform` and fills in its deviations.
void set_deviations(const std::vector<DeviationSection>& sections, Platform& platform,
                    Reading& reading);
[[nodiscard]] std::vector<DeviationSection> deviation_sections(const Platform& platform);

/// The page docs/reference/cluster.md, generated.
[[nodiscard]] std::string cluster_reference();

}  // namespace orrery::platform
