// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's fabric, key by key (see cluster_file.h). Private to this room but for
// fabric.h, which keeps what was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/platform/cluster/file/deviations_section.h"
#include "orrery/platform/cluster/file/fabric_labels.h"
#include "orrery/platform/cluster/file/memory_limits.h"
#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {

/// A link as files name it: of the catalogue, or by its figures.
struct LinkSection {
  std::optional<std::string> link;
  std::optional<Bandwidth> bandwidth;
  std::optional<Time> latency;

  static constexpr std::string_view shorthand = "link";
  static constexpr auto fields = std::tuple{
      field("link", &LinkSection::link,
            "a link of the catalogue; the keys below override its figures"),
      field("bandwidth", &LinkSection::bandwidth, "per direction", positive())
          .by_default("the link's"),
      field("latency", &LinkSection::latency, "until the first byte is there", between(0, 1e18))
          .by_default("the link's")};
};

struct PackageSection {
  std::int64_t devices = 2;
  std::optional<LinkSection> link;

  static constexpr auto fields = std::tuple{
      field("devices", &PackageSection::devices, "dies of one package, each with a rank",
            between(2, 65536))
          .required(),
      field("link", &PackageSection::link, "between a die and the hub of its package").required()};
};

struct HostSection {
  std::int64_t count = 1;
  std::int64_t devices = 8;
  HostInterconnect inside = HostInterconnect::switched;
  std::int64_t switches = 1;
  std::optional<LinkSection> scale_up;
  std::int64_t nics = 0;
  std::optional<LinkSection> pcie;
  std::optional<PackageSection> package;

  static constexpr auto fields = std::tuple{
      field("count", &HostSection::count, "hosts that are like this",
            between(1, static_cast<double>(limits::kRanks))),
      field("devices", &HostSection::devices, "of one host", between(1, 65536)),
      field("inside", &HostSection::inside, "what joins its devices"),
      field("switches", &HostSection::switches,
            "`inside: switch`: so many share a device's bandwidth; 1 stands for all of them",
            between(1, 1024)),
      field("scale_up", &HostSection::scale_up,
            "a device's port into its switches, or the link between two devices"),
      field("nics", &HostSection::nics,
            "of one host; 0: devices are joined to the network themselves", between(0, 65536)),
      field("pcie", &HostSection::pcie, "between devices and NICs"),
      field("package", &HostSection::package,
            "devices are dies of packages; what joins devices and NICs then joins packages")};
};

struct FabricNetworkSection {
  NetworkShape kind = NetworkShape::switched;
  std::optional<LinkSection> port;
  std::optional<LinkSection> trunk;
  std::optional<std::vector<std::int64_t>> sizes, wraps, twists;
  std::int64_t per_leaf = 0;
  std::int64_t radix = 64;
  std::int64_t tiers = 2;
  double oversubscription = 1, upper_oversubscription = 1;
  std::int64_t leaves_per_pod = 0;
  std::int64_t group = 0, spines = 0, global_links = 0;

  using Self = FabricNetworkSection;
  static constexpr auto fields = std::tuple{
      field("kind", &Self::kind, "what joins hosts").required(),
      field("port", &Self::port, "a NIC's (or device's) link into the network"),
      field("trunk", &Self::trunk, "a link between switches").by_default("as `port`"),
      field("sizes", &Self::sizes, "ring, mesh, torus, tpu: of each dimension, innermost first",
            between(1, 16))
          .by_default("one dimension of all"),
      field("wraps", &Self::wraps, "torus: 1 for each dimension that is closed, 0 for a line",
            between(0, 16))
          .by_default("all are closed"),
      field("twists", &Self::twists,
            "torus: closing a dimension shifts the next one by so many places", between(0, 16))
          .by_default("none does"),
      field("per_leaf", &Self::per_leaf, "ports below a leaf, or at a router", between(0, 65536))
          .by_default("by `radix` and `oversubscription`"),
      field("radix", &Self::radix, "ports of a switch", between(2, 65536)),
      field("tiers", &Self::tiers, "of switches: leaves and spines, or cores above them",
            between(2, 3)),
      field("oversubscription", &Self::oversubscription, "ports below a leaf for each above",
            between(0.01, 1024)),
      field("upper_oversubscription", &Self::upper_oversubscription, "3 tiers: likewise of spines",
            between(0.01, 1024)),
      field("leaves_per_pod", &Self::leaves_per_pod, "3 tiers", between(0, 65536))
          .by_default("as many as a spine has ports for"),
      field("group", &Self::group, "dragonflies: routers (leaves) of a group", between(0, 65536))
          .by_default("a balanced one: twice `per_leaf`, or half of `radix`"),
      field("spines", &Self::spines, "dragonfly_plus: of a group", between(0, 65536))
          .by_default("as many as leaves"),
      field("global_links", &Self::global_links, "dragonflies: of a router (spine) to other groups",
            between(0, 65536))
          .by_default("as `per_leaf`, or half of `radix`")};
};

/// A block of hosts that others may be unlike.
struct GroupSection {
  std::int64_t count = 1;
  std::vector<HostSection> hosts;
  std::optional<FabricNetworkSection> network;

  static constexpr auto fields = std::tuple{
      field("count", &GroupSection::count, "blocks that are like this",
            between(1, static_cast<double>(limits::kRanks))),
      field("hosts", &GroupSection::hosts, "its hosts, as `fabric.hosts`", between(1, 65536))
          .required(),
      field("network", &GroupSection::network, "what joins them").by_default("nothing does")};
};

struct LevelSection {
  std::int64_t count = 2;
  FabricNetworkSection network;
  std::optional<NodeClass> ports;
  std::int64_t uplinks = 1;

  static constexpr auto fields = std::tuple{
      field("count", &LevelSection::count, "so many blocks, each all that is below",
            between(1, static_cast<double>(limits::kRanks)))
          .required(),
      field("network", &LevelSection::network,
            "what joins them: `ring`, `mesh`, `torus` and `fully_connected` are of blocks, and "
            "join the i-th port of one to the i-th of another; the others take all ports of all "
            "blocks; not `tpu`")
          .required(),
      field("ports", &LevelSection::ports, "which nodes of a block are joined")
          .by_default("the highest switches that join the block inside; where there are none, what "
                      "is joined there"),
      field("uplinks", &LevelSection::uplinks, "links of each", between(1, 65536))};
};

struct RoutingSection {
  RoutePolicy policy = RoutePolicy::known;
  std::int64_t seed = 1;
  std::optional<std::vector<std::string>> routes;

  static constexpr std::string_view shorthand = "policy";
  static constexpr auto fields = std::tuple{
      field("policy", &RoutingSection::policy,
            "`known`: dimension by dimension in grids and stacked dimensions, else as `ecmp`; "
            "`ecmp`: one of the shortest ways, by a hash of both ends; `spray`: evenly over all "
            "shortest ways; `adaptive`: the least loaded of them when a message begins; `valiant`: "
            "by way of a switch that the hash chooses; `ugal`: that where it meets less load, else "
            "as `ecmp`"),
      field("seed", &RoutingSection::seed, "of the hash", between(0, 9e15)),
      field("ways", &RoutingSection::routes,
            "ways that are set: names of nodes with spaces between, from one end to the other",
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
            "all links of it: a switch, a NIC …; `ocs3.*`: of all whose names begin so"),
      field("from", &FaultSection::from, "with `to`: the links between two nodes, both directions"),
      field("to", &FaultSection::to, "the other end"),
      field("links", &FaultSection::links, "… or only so many of those that are side by side",
            between(0, 1e6))
          .by_default("all"),
      field("bandwidth", &FaultSection::bandwidth, "what is left of theirs; 0: they are down",
            between(0, 1)),
      field("start", &FaultSection::start, "from when on", between(0, 1e18)),
      field("end", &FaultSection::end, "until when", between(0, 1e18)).by_default("for good"),
      field("every", &FaultSection::every, "it comes and goes: so long from one time to the next",
            between(0, 1e18)),
      field("lasts", &FaultSection::duration, "… and so long each time", between(0, 1e18))};
};

struct LinkDefaultSection {
  LinkClass kind = LinkClass::network;
  std::optional<Bandwidth> bandwidth;
  std::optional<Time> latency;

  static constexpr auto fields = std::tuple{
      field("class", &LinkDefaultSection::kind, "of links").required(),
      field("bandwidth", &LinkDefaultSection::bandwidth, "where the file states none", positive()),
      field("latency", &LinkDefaultSection::latency, "likewise", between(0, 1e18))};
};

struct TransportSection {
  Bytes payload{};
  Bytes header{};
  Bytes window{};

  static constexpr auto fields = std::tuple{
      field("payload", &TransportSection::payload, "bytes of a packet; 0: headers are not counted"),
      field("header", &TransportSection::header, "bytes that a packet has more on the wire"),
      field("window", &TransportSection::window,
            "bytes that a message may have on its way, unanswered; 0: no limit")};
};

/// What switches that can do collectives' work do it with.
/// Bits as InNetwork::adds; a list of words in files.
struct Summands {
  std::uint16_t bits = 0;
};
void read_value(const Json& value, const std::string& path, const Limits&, Summands& out,
                Reading& reading);
OrderedJson schema_of(Kind<Summands>, const Limits&);
std::string about_kind(Kind<Summands>, const Limits& limits);
OrderedJson write_value(Summands value);

struct InNetworkSection {
  Time latency{};
  Bytes buffer{};
  std::int64_t radix = 0;
  std::int64_t streams = 0;
  std::optional<Summands> adds;

  static constexpr auto fields = std::tuple{
      field("latency", &InNetworkSection::latency,
            "what summing adds to the latency of what passes through", between(0, 1e18)),
      field("buffer", &InNetworkSection::buffer,
            "bytes of a collective that may be on their way through a switch; 0: it never waits"),
      field("radix", &InNetworkSection::radix,
            "from how many a switch can sum at once; 0: from all", between(0, 65536)),
      field("streams", &InNetworkSection::streams,
            "how many collectives a switch does at once, others wait; 0: as many as come",
            between(0, 65536)),
      field("adds", &InNetworkSection::adds,
            "the numbers that a switch can add; end points do collectives that sum others")
          .by_default("whatever comes")};
};

struct ReducerSection {
  std::string switches;
  InNetworkSection figures;

  static constexpr auto fields =
      std::tuple{field("switches", &ReducerSection::switches,
                       "the name of one, or `leaf*`: all whose names begin so")
                     .required(),
                 field("with", &ReducerSection::figures, "what they do it with")};
};

/// Memories of each switch of a dimension.
inline constexpr const char* kMemoryRate =
    "that each reads and writes at, both together: a DRAM's bandwidth";
inline constexpr const char* kMemoryRateDefault = "what its link carries, in each direction";

struct MemoriesSection {
  std::int64_t count = 1;
  std::optional<LinkSection> link;
  std::optional<Bandwidth> rate;

  static constexpr auto fields = std::tuple{
      field("count", &MemoriesSection::count, "at each place",
            between(1, static_cast<double>(memory_limits::kMemories))),
      field("link", &MemoriesSection::link, "of each memory into the network").required(),
      field("rate", &MemoriesSection::rate, kMemoryRate, positive())
          .by_default(kMemoryRateDefault)};
};

struct FabricMemoriesSection {
  std::string at;
  std::optional<std::int64_t> count;
  std::optional<LinkSection> link;
  std::optional<Bandwidth> rate;

  static constexpr auto fields = std::tuple{
      field("at", &FabricMemoriesSection::at,
            "the name of a node, or `leaf*`: all whose names begin so; those that are memories "
            "themselves, as in files of other tools, are taken as they are")
          .required(),
      field("count", &FabricMemoriesSection::count, "at each of them",
            between(1, static_cast<double>(memory_limits::kMemories)))
          .by_default("1"),
      field("link", &FabricMemoriesSection::link, "of each memory into the network")
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
  std::optional<std::vector<LinkDefaultSection>> defaults;
  RoutingSection routing;
  std::optional<std::vector<FaultSection>> faults;
  std::optional<std::vector<ReducerSection>> in_network;
  std::optional<std::vector<FabricMemoriesSection>> memories;
  std::optional<RankRanges> placement;
  TransportSection transport;
  double bandwidth = 1, latency = 1;

  static constexpr std::string_view shorthand = "file";
  static constexpr auto fields = std::tuple{
      field(
          "file", &FabricSection::file,
          "a fabric that another tool wrote, its path from this file's folder; instead of `hosts` "
          "and `network`"),
      field("hosts", &FabricSection::hosts, "hosts in the order of their ranks", between(1, 65536)),
      field("network", &FabricSection::network, "what joins them").by_default("nothing does"),
      field("groups", &FabricSection::groups,
            "instead of `hosts` and `network`: blocks that are unlike each other, in the order of "
            "their ranks; the first of `levels` joins all of them",
            between(1, 65536)),
      field("levels", &FabricSection::levels,
            "blocks of all that, and what joins these; then blocks of those, and so on",
            between(0, 8)),
      field("defaults", &FabricSection::defaults,
            "figures of links for which the file states none, by class", between(0, 16)),
      field("routing", &FabricSection::routing, "which way messages take"),
      field("faults", &FabricSection::faults, "what is broken, slow, or comes and goes",
            between(0, 65536)),
      field("in_network", &FabricSection::in_network,
            "switches that sum what comes to them and send one thing to many, for the algorithm "
            "`in_network`",
            between(0, 65536)),
      field("memories", &FabricSection::memories,
            "memories in the network, for `remote_memory: {kind: network}`; new ones are called "
            "`memory0`, `memory1` …",
            between(0, memory_limits::kMemories)),
      field("placement", &FabricSection::placement,
            "on which devices ranks sit, in the order of ranks: devices count from 0")
          .by_default("in order, on all"),
      field("transport", &FabricSection::transport, "what messages lose to packets and windows"),
      field("bandwidth", &FabricSection::bandwidth, "all links have so many times theirs",
            positive()),
      field("latency", &FabricSection::latency, "likewise", between(0, 1e6))};
};

}  // namespace orrery::platform
