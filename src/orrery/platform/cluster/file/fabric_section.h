// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's fabric, key by key (see cluster_file.h). Private to this room except for
// fabric.h, which stores the section for the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/platform/cluster/file/deviations_section.h"
#include "orrery/platform/cluster/file/fabric_labels.h"
#include "orrery/platform/cluster/file/memory_limits.h"
#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {

/// InNetwork::adds, as a list of words in files.
struct Summands {
  std::uint16_t bits = 0;

  explicit operator std::uint16_t() const { return bits; }
};
void read_value(const Json& value, const std::string& path, const Limits&, Summands& out,
                Reading& reading);
OrderedJson schema_of(Kind<Summands>, const Limits&);
std::string about_kind(Kind<Summands>, const Limits& limits);
OrderedJson write_value(Summands value);

}  // namespace orrery::platform

namespace orrery::config {

template <>
struct ParameterTable<platform::InNetwork> {
  using Switch = platform::InNetwork;
  static constexpr auto fields = std::tuple{
      field("latency", &Switch::latency, "additional latency of a switch that reduces data",
            between(0, 1e18)),
      field("buffer", &Switch::buffer, "maximum bytes of a collective in a switch; 0: unlimited"),
      field("radix", &Switch::radix,
            "maximum number of inputs that a switch can reduce at the same time; 0: unlimited",
            between(0, 65536)),
      field("streams", &Switch::streams,
            "maximum number of concurrent collectives of a switch, others wait; 0: unlimited",
            between(0, 65536)),
      field("adds", &Switch::adds,
            "number formats that a switch can add; end points run collectives of other formats")
          .by_default("all formats")
          .unset_by_default()
          .as<platform::Summands>()};
};
/// Defaults for the links of a file of another tool.
template <>
struct ParameterTable<platform::LinkFigures> {
  using Link = platform::LinkFigures;
  static constexpr auto fields = std::tuple{
      field("class", &Link::kind, "class of the links").required(),
      field("bandwidth", &Link::bandwidth, "bandwidth of links without one in the file", positive())
          .unset_by_default(),
      field("latency", &Link::latency, "latency of links without one in the file",
            between(0, 1e18))};
};

}  // namespace orrery::config

namespace orrery::platform {

/// A link of the catalog, or its bandwidth and latency.
struct LinkSection {
  std::optional<std::string> link;
  std::optional<Bandwidth> bandwidth;
  std::optional<Time> latency;

  static constexpr std::string_view shorthand = "link";
  static constexpr auto fields = std::tuple{
      field("link", &LinkSection::link,
            "a link of the catalog; the keys below override its values"),
      field("bandwidth", &LinkSection::bandwidth, "bandwidth per direction", positive())
          .by_default("the link's"),
      field("latency", &LinkSection::latency, "time until the first byte arrives", between(0, 1e18))
          .by_default("the link's")};
};

struct PackageSection {
  std::int64_t devices = 2;
  std::optional<LinkSection> link;

  static constexpr auto fields = std::tuple{
      field("devices", &PackageSection::devices, "dies per package, each with one rank",
            between(2, 65536))
          .required(),
      field("link", &PackageSection::link, "link between a die and the hub of its package")
          .required()};
};

/// A kind of host whose links are not looked up yet.
struct HostSection : HostShape {
  std::optional<LinkSection> scale_up_link;
  std::optional<LinkSection> pcie_link;
  std::optional<PackageSection> packaging;

  static constexpr auto fields = std::tuple{
      field("count", &HostSection::count, "number of hosts of this kind", kAnyCount),
      field("devices", &HostSection::devices, "devices per host", between(1, 65536)),
      field("inside", &HostSection::inside, "network of the devices of a host"),
      field("switches", &HostSection::switches,
            "`inside: switch`: number of switches that share a device's bandwidth; 1 represents "
            "all of them",
            between(1, 1024)),
      field("scale_up", &HostSection::scale_up_link,
            "a device's port to its switches, or the link between two devices"),
      field("nics", &HostSection::nics,
            "NICs per host; 0: devices are joined to the network directly", between(0, 65536)),
      field("pcie", &HostSection::pcie_link, "link between devices and NICs"),
      field("package", &HostSection::packaging,
            "devices are dies of packages; the links of devices and NICs then belong to packages")};
};

/// A network whose links are not looked up yet.
struct FabricNetworkSection : NetworkPlan {
  std::optional<LinkSection> port_link;
  std::optional<LinkSection> trunk_link;
  std::optional<LinkSection> between_dies;

  using Self = FabricNetworkSection;
  static constexpr auto fields = std::tuple{
      field("kind", &Self::shape, "network between hosts").required(),
      field("port", &Self::port_link, "link of a NIC (or device) into the network"),
      field("trunk", &Self::trunk_link, "link between switches").by_default("as `port`"),
      field("sizes", &Self::sizes,
            "ring, mesh, torus, tpu: size of each dimension, innermost first", between(1, 16))
          .by_default("one dimension of all ports")
          .unset_by_default(),
      field("wraps", &Self::wraps, "torus: 1 for each closed dimension, 0 for a line",
            between(0, 16))
          .by_default("all are closed")
          .unset_by_default(),
      field("twists", &Self::twists, "torus: shift of the next dimension where a dimension closes",
            between(0, 16))
          .by_default("no shift")
          .unset_by_default(),
      field("dies", &Self::dies,
            "ring, mesh, torus: positions of a die in each dimension, which divide `sizes`",
            between(1, 16))
          .by_default("no dies")
          .unset_by_default(),
      field("die_link", &Self::between_dies, "link between neighbors on different dies")
          .by_default("as `port`"),
      field("per_leaf", &Self::per_leaf, "downlink ports of a leaf, or ports of a router",
            between(0, 65536))
          .by_default("by `radix` and `oversubscription`"),
      field("radix", &Self::radix, "ports of a switch", between(2, 65536)),
      field("tiers", &Self::tiers, "tiers of switches: 2 (leaves and spines) or 3 (and cores)",
            between(2, 3)),
      field("oversubscription", &Self::oversubscription, "downlink ports of a leaf per uplink port",
            between(0.01, 1024)),
      field("upper_oversubscription", &Self::upper_oversubscription,
            "3 tiers: downlink ports of a spine per uplink port", between(0.01, 1024)),
      field("leaves_per_pod", &Self::leaves_per_pod, "3 tiers: leaves per pod", between(0, 65536))
          .by_default("the downlink ports of a spine"),
      field("group", &Self::group, "dragonflies: routers (leaves) per group", between(0, 65536))
          .by_default("a balanced dragonfly: twice `per_leaf`, or half of `radix`"),
      field("spines", &Self::spines, "dragonfly_plus: spines per group", between(0, 65536))
          .by_default("the number of leaves"),
      field("global_links", &Self::global_links,
            "dragonflies: links of a router (spine) to other groups", between(0, 65536))
          .by_default("as `per_leaf`, or half of `radix`")};
};

/// Identical blocks of hosts; groups may differ.
struct GroupSection {
  std::int64_t count = 1;
  std::vector<HostSection> hosts;
  std::optional<FabricNetworkSection> network;

  static constexpr auto fields = std::tuple{
      field("count", &GroupSection::count, "number of blocks of this kind", kAnyCount),
      field("hosts", &GroupSection::hosts, "its hosts, as `fabric.hosts`", between(1, 65536))
          .required(),
      field("network", &GroupSection::network, "network between its hosts").by_default("none")};
};

struct LevelSection {
  std::int64_t count = 2;
  FabricNetworkSection network;
  std::optional<NodeClass> ports;
  std::int64_t uplinks = 1;

  static constexpr auto fields = std::tuple{
      field("count", &LevelSection::count,
            "number of blocks that the level joins; each block is everything below the level",
            kAnyCount)
          .required(),
      field(
          "network", &LevelSection::network,
          "network between the blocks: `ring`, `mesh`, `torus` and `fully_connected` join the i-th "
          "ports of all blocks; other kinds join all ports of all blocks; `tpu` is not supported")
          .required(),
      field("ports", &LevelSection::ports, "class of the nodes of a block that are joined")
          .by_default("the highest switches inside the block; without switches, the nodes joined "
                      "inside it"),
      field("uplinks", &LevelSection::uplinks, "links per joined node", between(1, 65536))};
};

struct RoutingSection {
  RoutePolicy policy = RoutePolicy::known;
  std::int64_t seed = 1;
  std::optional<std::vector<std::string>> routes;

  static constexpr std::string_view shorthand = "policy";
  static constexpr auto fields = std::tuple{
      field("policy", &RoutingSection::policy,
            "`known`: dimension by dimension in grids and stacked dimensions, else as `ecmp`; "
            "`ecmp`: one of the shortest paths, chosen by a hash of both ends; `d_mod_k`: one "
            "of the shortest paths, by the number of the destination's port, so that destinations "
            "use all links up evenly, in grids as `known`; `spray`: evenly over all shortest "
            "paths; `adaptive`: the shortest path with the least load when a "
            "message begins; `valiant`: via a switch chosen by the hash; `ugal`: as `valiant` if "
            "that path has less load, else as `ecmp`"),
      field("seed", &RoutingSection::seed, "seed of the hash", between(0, 9e15)),
      field("ways", &RoutingSection::routes,
            "fixed paths: names of nodes, separated by spaces, from one end to the other",
            between(0, 1e6))};
};

struct FaultSection {
  std::optional<std::string> node;
  std::optional<std::string> from, to;
  std::int64_t links = 0;
  double bandwidth = 0;
  Time start{};
  std::optional<Time> end, every, duration;

  static constexpr auto fields = std::tuple{
      field("node", &FaultSection::node,
            "a node (a switch, a NIC …), for all of its links; `ocs3.*`: all nodes whose names "
            "begin with `ocs3.`"),
      field("from", &FaultSection::from,
            "together with `to`: the links between two nodes, in both directions"),
      field("to", &FaultSection::to, "the other end"),
      field("links", &FaultSection::links, "number of affected parallel links", between(0, 1e6))
          .by_default("all"),
      field("bandwidth", &FaultSection::bandwidth,
            "remaining share of their bandwidth; 0: the links are down", between(0, 1)),
      field("start", &FaultSection::start, "start of the fault", between(0, 1e18)),
      field("end", &FaultSection::end, "end of the fault", between(0, 1e18)).by_default("never"),
      field("every", &FaultSection::every, "recurring fault: time from one occurrence to the next",
            between(0, 1e18)),
      field("lasts", &FaultSection::duration, "recurring fault: duration of each occurrence",
            between(0, 1e18))};
};

struct TransportSection {
  Bytes payload{};
  Bytes header{};
  Bytes window{};

  static constexpr auto fields = std::tuple{
      field("payload", &TransportSection::payload,
            "payload bytes per packet; 0: headers are not counted"),
      field("header", &TransportSection::header, "additional bytes per packet on the wire"),
      field("window", &TransportSection::window,
            "maximum unacknowledged bytes of a message in flight; 0: no limit")};
};

struct ReducerSection {
  std::string switches;
  InNetwork figures;

  static constexpr auto fields =
      std::tuple{field("switches", &ReducerSection::switches,
                       "name of a switch; `leaf*`: all switches whose names begin with `leaf`")
                     .required(),
                 field("with", &ReducerSection::figures, "capabilities of the switches")};
};

inline constexpr const char* kMemoryRate =
    "total bandwidth of reads and writes per memory, such as the bandwidth of its DRAM";
inline constexpr const char* kMemoryRateDefault = "the bandwidth of its link, in each direction";

/// Memories of a dimension whose link is not looked up yet.
struct MemoriesSection : Memories {
  std::optional<LinkSection> link;

  static constexpr auto fields = std::tuple{
      field("count", &MemoriesSection::count, "memories per switch",
            between(1, static_cast<double>(memory_limits::kMemories))),
      field("link", &MemoriesSection::link, "link of each memory into the network").required(),
      field("rate", &MemoriesSection::rate, kMemoryRate, positive())
          .by_default(kMemoryRateDefault)
          .unset_by_default()};
};

struct FabricMemoriesSection {
  std::string at;
  std::optional<std::int64_t> count;
  std::optional<LinkSection> link;
  std::optional<Bandwidth> rate;

  static constexpr auto fields =
      std::tuple{field("at", &FabricMemoriesSection::at,
                       "name of a node; `leaf*`: all nodes whose names begin with `leaf`; nodes "
                       "that are memories already, as in files of other tools, are used unchanged")
                     .required(),
                 field("count", &FabricMemoriesSection::count, "memories per node",
                       between(1, static_cast<double>(memory_limits::kMemories)))
                     .by_default("1"),
                 field("link", &FabricMemoriesSection::link, "link of each memory into the network")
                     .by_default("required, unless `at` names memories"),
                 field("rate", &FabricMemoriesSection::rate, kMemoryRate, positive())
                     .by_default(kMemoryRateDefault)};
};

struct FabricSection {
  std::optional<std::string> file;
  std::optional<std::vector<HostSection>> hosts;
  std::optional<FabricNetworkSection> network;
  std::optional<std::vector<GroupSection>> groups;
  std::optional<std::vector<LevelSection>> levels;
  std::optional<std::vector<LinkFigures>> defaults;
  RoutingSection routing;
  std::optional<std::vector<FaultSection>> faults;
  std::optional<std::vector<ReducerSection>> in_network;
  std::optional<std::vector<FabricMemoriesSection>> memories;
  std::optional<RankRanges> placement;
  TransportSection transport;
  double bandwidth = 1, latency = 1;

  static constexpr std::string_view shorthand = "file";
  static constexpr auto fields = std::tuple{
      field("file", &FabricSection::file,
            "a fabric file of another tool, path relative to this file; instead of `hosts` and "
            "`network`"),
      field("hosts", &FabricSection::hosts, "hosts in the order of their ranks", between(1, 65536)),
      field("network", &FabricSection::network, "network between the hosts").by_default("none"),
      field("groups", &FabricSection::groups,
            "instead of `hosts` and `network`: different blocks, in the order of their ranks; the "
            "first of `levels` joins all of them",
            between(1, 65536)),
      field("levels", &FabricSection::levels,
            "levels above the network: each level joins several copies of everything below it",
            between(0, 8)),
      field("defaults", &FabricSection::defaults,
            "defaults of links without values in the file, by class", between(0, 16)),
      field("routing", &FabricSection::routing, "routing of messages"),
      field("faults", &FabricSection::faults, "broken, slow, or recurring faulty links and nodes",
            between(0, 65536)),
      field("in_network", &FabricSection::in_network,
            "switches that reduce and multicast, for the algorithm `in_network`",
            between(0, 65536)),
      field("memories", &FabricSection::memories,
            "memories in the network, for `remote_memory: {kind: network}`; new memories are named "
            "`memory0`, `memory1` …",
            between(0, memory_limits::kMemories)),
      field("placement", &FabricSection::placement,
            "the devices of the ranks, in the order of ranks; devices are numbered from 0")
          .by_default("all devices, in order"),
      field("transport", &FabricSection::transport, "overhead of packets and limits of windows"),
      field("bandwidth", &FabricSection::bandwidth, "factor of the bandwidth of all links",
            positive()),
      field("latency", &FabricSection::latency, "factor of the latency of all links",
            between(0, 1e6))};
};

}  // namespace orrery::platform
