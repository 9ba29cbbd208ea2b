// SPDX-License-Identifier: Apache-2.0
//
// The cluster file, key by key. These tables are the single source of its reader, schema, reference
// and writer. Private to this room.
#pragma once

#include <array>
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
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/file/collectives_section.h"
#include "orrery/platform/cluster/file/deviations_section.h"
#include "orrery/platform/cluster/file/fabric_section.h"
#include "orrery/platform/cluster/file/noc_section.h"
#include "orrery/platform/cluster/file/packets_section.h"
#include "orrery/platform/platform.h"

namespace orrery::config {

/// Sources of compute times that a cluster file can choose.
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
  using enum platform::RemoteMemoryKind;
  using Word = EnumName<platform::RemoteMemoryKind>;
  static constexpr std::array names = {Word{"none", none}, Word{"per_npu", per_npu},
                                       Word{"per_node", per_node}, Word{"pool", pool},
                                       Word{"network", network}};
};
template <>
struct EnumNames<platform::MemoryShape> {
  using enum platform::MemoryShape;
  using Word = EnumName<platform::MemoryShape>;
  static constexpr std::array names = {Word{"straight", straight}, Word{"ring", ring},
                                       Word{"mesh", mesh}};
};
template <>
struct EnumNames<platform::MemoryAccess> {
  using enum platform::MemoryAccess;
  using Word = EnumName<platform::MemoryAccess>;
  static constexpr std::array names = {Word{"in_turn", sequential}, Word{"at_once", concurrent}};
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

template <>
struct ParameterTable<platform::StepEffects::OverlapSlowdown> {
  using Slowdown = platform::StepEffects::OverlapSlowdown;
  static constexpr auto fields = std::tuple{
      field("products", &Slowdown::products,
            "slowdown factor of matrix products, attention and convolutions", between(1, 10)),
      field("others", &Slowdown::others, "slowdown factor of all other kernels", between(1, 10))};
};
template <>
struct ParameterTable<platform::StepEffects> {
  using Effects = platform::StepEffects;
  static constexpr auto fields = std::tuple{
      field("gap", &Effects::gap,
            "time from the end of a kernel to the begin of the next kernel in the queue",
            between(0, 1e9))
          .by_default("recorded on devices of the same architecture"),
      field("factors", &Effects::factors,
            "slowdown factors of matrix products in your steps, relative to their predicted time "
            "alone; 1: none",
            between(0, 8))
          .by_default("from the catalog, fitted to published steps"),
      field("overlapping_collectives", &Effects::overlap,
            "slowdown of kernels while a collective runs on their device")
          .by_default("from the SMs and the bandwidth that the library's collectives use"),
      field("collectives", &Effects::collectives,
            "duration of the library's collectives in your steps, relative to their duration "
            "alone, due to concurrent kernels",
            between(0.5, 10))
          .by_default("no slowdown")};
};
template <>
struct ParameterTable<platform::MemoryExpansion> {
  using Expansion = platform::MemoryExpansion;
  static constexpr auto fields = std::tuple{
      field("bandwidth", &Expansion::bandwidth, "bandwidth at which a device reads and writes it",
            positive())
          .required(),
      field("capacity", &Expansion::capacity, "capacity per device; 0: unlimited"),
      field("access", &Expansion::access,
            "whether a kernel accesses the two memories one after the other or at the same time")};
};
template <>
struct ParameterTable<platform::MemoryStage> {
  using Stage = platform::MemoryStage;
  static constexpr auto fields = std::tuple{
      field("shape", &Stage::shape,
            "parallel links, or a ring or mesh over which memories and devices are "
            "distributed evenly"),
      field("bandwidth", &Stage::bandwidth, "bandwidth of one link, in each direction", positive())
          .required(),
      field("links", &Stage::links, "straight: number of parallel links", platform::kAnyCount)
          .by_default("1"),
      field("sizes", &Stage::sizes, "ring: number of positions; mesh: size of each dimension",
            between(1, 16))
          .unset_by_default(),
      field("devices", &Stage::devices,
            "number of devices that share these links; every further group of that size "
            "has its own links",
            platform::kAnyCount)
          .by_default("all")
          .unset_by_default()};
};
template <>
struct ParameterTable<platform::RemoteMemory> {
  using Memory = platform::RemoteMemory;
  static constexpr auto fields = std::tuple{
      field("kind", &Memory::kind,
            "location of the remote memory: none, per device, per node, or one pool for all; "
            "`network`: the `memories` of the network, whose traffic shares links with messages"),
      field("latency", &Memory::latency, "latency per access"),
      field("bandwidth", &Memory::bandwidth,
            "bandwidth of one memory group; required unless kind is none or `network`; for "
            "`network` it is the bandwidth of a memory's link",
            positive())
          .unset_by_default(),
      field("groups", &Memory::groups,
            "parallel memory groups, over which all bytes are distributed evenly",
            platform::kAnyCount)
          .by_default("1")
          .unset_by_default(),
      field("stages", &Memory::stages,
            "stages of links that all bytes cross, from the memory to devices", between(0, 16))
          .unset_by_default(),
      field("chunk", &Memory::chunk,
            "chunk size that a stage receives completely before it forwards the chunk")
          .by_default("none: bytes are forwarded immediately")
          .unset_by_default(),
      field("in_switch", &Memory::in_switch,
            "switches gather loads and reduce stores: all devices of a memory access the same "
            "data, which crosses each stage once"),
      field("spread", &Memory::spread,
            "network only: every access is distributed evenly over all memories; otherwise over "
            "the memories with the fewest links from its rank"),
      field("nodes", &Memory::nodes, "per_node only: number of nodes", platform::kAnyCount)
          .unset_by_default(),
      field("npus_per_node", &Memory::npus_per_node, "per_node only: devices per node",
            platform::kAnyCount)
          .unset_by_default()};
};
template <>
struct ParameterTable<platform::SharedBus> {
  using Bus = platform::SharedBus;
  static constexpr auto fields =
      std::tuple{field("latency_ns", &Bus::L, "L of LogGP", between(0, 1e9)),
                 field("overhead_ns", &Bus::o, "o of LogGP", between(0, 1e9)),
                 field("gap_ns", &Bus::g, "g of LogGP", between(0, 1e9)),
                 field("gap_per_byte_ns", &Bus::G, "G of LogGP", between(0, 1e6)),
                 field("reduction_delay_ns", &Bus::reduction_delay,
                       "delay per 100 reduced bytes, in ns", between(0, 1e9))};
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

// Sections that differ from the structs of the platform: a missing key has another meaning than its
// default, or names are looked up.

/// Without the keys that its shape does not have.
OrderedJson write_value(const MemoryStage& stage);

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
  std::optional<MemoryExpansion> memory_expansion;
  std::optional<double> clock_mhz;
  std::optional<double> power_limit_w;
  TimeSource compute = TimeSource::automatic;
  StepEffects in_step;

  static constexpr std::string_view shorthand = "is";
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("is", &DeviceSection::is,
                "a device of the catalog; the keys below override its values"),
          field("name", &DeviceSection::name, "name of the device in results")
              .by_default("the catalog's name"),
          field("precision", &DeviceSection::precision,
                "number format of the catalog's peak, e.g. `bf16`, `fp8`")
              .by_default("the first peak of the device"),
          field("peak", &DeviceSection::peak, "dense peak per device", positive())
              .by_default("the catalog's"),
          field("memory_bandwidth", &DeviceSection::memory_bandwidth,
                "bandwidth of local memory, used by reductions and compute", positive())
              .by_default("the catalog's"),
          field("memory_capacity", &DeviceSection::memory_capacity,
                "size of local memory; 0: unknown")
              .by_default("the catalog's"),
          field("memory_expansion", &DeviceSection::memory_expansion,
                "additional memory for jobs from a model and a plan, for data beyond "
                "`memory_capacity`"),
          field("clock_mhz", &DeviceSection::clock_mhz,
                "clock of its multiprocessors or arrays, in MHz", between(1, 1e5))
              .by_default("the catalog's"),
          field("power_limit_w", &DeviceSection::power_limit_w,
                "power limit of the device, at most the catalog's power of its board, in W; "
                "predicted matrix products last longer if they need more",
                between(1, 1e5))
              .by_default("the power of its board"),
          field("compute", &DeviceSection::compute,
                "source of compute times; `auto`: the recorded time, else the best available model "
                "for each kernel, or the roofline if `peak` is given here; `table`: the kernel "
                "table instead of recorded times, and `auto` for kernels outside the table; "
                "`systolic`: the array for matrix products and convolutions instead of recorded "
                "times, and `auto` for others; `fitted`: like `table`, with the kernel model")},
      kernel_file_fields(),
      std::tuple{
          field("in_step", &DeviceSection::in_step,
                "effects of a step on kernels whose times a model predicts for each kernel alone")
              .unset_by_default()});
};

struct DimSection {
  Block block = Block::switched;
  std::int64_t size = 2;
  std::optional<std::string> link;
  std::optional<Bandwidth> bandwidth;
  std::optional<Time> latency;
  std::optional<InNetwork> in_network;
  std::optional<MemoriesSection> memories;

  static constexpr auto fields = std::tuple{
      field("block", &DimSection::block, "topology of this dimension").required(),
      field("size", &DimSection::size, "members of this dimension", platform::kAnyCount).required(),
      field("link", &DimSection::link, "a link of the catalog; the keys below override its values"),
      field("bandwidth", &DimSection::bandwidth,
            "bandwidth per direction, of one link (ring, fully_connected) or one port (switch)",
            positive())
          .by_default("the link's"),
      field("latency", &DimSection::latency,
            "latency per hop; a neighbor in a ring or fully connected block is 1 hop away, a "
            "member of a switch block 2 hops")
          .by_default("the link's"),
      field("in_network", &DimSection::in_network,
            "switch only: its switches reduce and multicast, for the algorithm `in_network`; `{}`: "
            "with default values"),
      field("memories", &DimSection::memories,
            "switch only: memories at each of its switches, for `remote_memory: {kind: network}`")};
};

struct ClusterSection {
  std::optional<std::string> schema;
  std::int64_t version = 1;
  std::string name;
  DeviceSection device;
  std::optional<std::vector<DimSection>> network;
  std::optional<FabricSection> fabric;
  std::optional<NetworkModelKind> network_model;
  std::optional<PacketSettings> packets;
  std::optional<NocSettings> noc;
  CollectivesSection collectives;
  Time endpoint_delay{};
  RemoteMemory remote_memory;
  std::optional<SharedBus> shared_bus;
  std::optional<std::vector<DeviationSection>> deviations;
  bool replay_only = false;
  bool track_local_memory = false;

  static constexpr auto fields = std::tuple{
      field("$schema", &ClusterSection::schema, "for editors; ignored"),
      field("version", &ClusterSection::version, "version of this format", between(1, 1)),
      field("name", &ClusterSection::name, "name of the cluster in results"),
      field("device", &ClusterSection::device, "one accelerator").required(),
      field("network", &ClusterSection::network,
            "its dimensions, innermost first; required unless there is a `fabric`", between(1, 16))
          .by_default("with a fabric: the hosts and the network between them"),
      field("fabric", &ClusterSection::fabric,
            "the network as a graph; collectives then use `network` as its logical dimensions"),
      field("network_model", &ClusterSection::network_model, kNetworkSentences)
          .by_default("`analytical`; with a fabric, or memories in the network, `flow`"),
      field("packets", &ClusterSection::packets,
            "packets and their transport, for the network model `packet`")
          .unset_by_default(),
      field("noc", &ClusterSection::noc, "routers and flits, for the network model `noc`")
          .unset_by_default(),
      field("collectives", &ClusterSection::collectives,
            "chunks, order and algorithms of collectives"),
      field("endpoint_delay", &ClusterSection::endpoint_delay,
            "delay per message, between a device and its memory", between(0, 2e15)),
      field("remote_memory", &ClusterSection::remote_memory, "memory outside the devices"),
      field("shared_bus", &ClusterSection::shared_bus,
            "a LogGP bus between each device and its memory"),
      field("deviations", &ClusterSection::deviations, "ranks that differ from the others",
            between(0, static_cast<double>(limits::kRanks))),
      field("replay_only", &ClusterSection::replay_only,
            "every node, including communication, uses its recorded duration"),
      field("track_local_memory", &ClusterSection::track_local_memory,
            "track the lifetime of each tensor in local memory")};
};

/// The network's dimensions and fabric. Errc: config_*, and those of make_fabric().
void set_network(const ClusterSection& file, Platform& platform, Findings& findings,
                 Reading& reading);

/// Chooses the library of collectives and copies its settings.
void set_library(const ClusterSection& file, Platform& platform, Reading& reading);

/// Checks the ranks and dimensions, and sets the deviations of `platform`.
void set_deviations(const std::vector<DeviationSection>& sections, Platform& platform,
                    Reading& reading);
[[nodiscard]] std::vector<DeviationSection> deviation_sections(const Platform& platform);

/// The page docs/reference/cluster.md, generated.
[[nodiscard]] std::string cluster_reference();

}  // namespace orrery::platform
