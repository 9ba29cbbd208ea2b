// SPDX-License-Identifier: Apache-2.0
//
// A fabric as a graph of devices, switches, other nodes and links. Generators and importers use
// TopologyBuilder; all other code reads a Topology.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::platform {

enum class NodeClass : std::uint8_t {
  device,  ///< an accelerator, where a rank may sit
  cpu,
  memory,
  nic,
  port,  ///< of a NIC or a switch, where a file has it as a node of its own
  pcie_switch,
  nvswitch,  ///< of a scale-up network, of any vendor
  leaf,      ///< a switch next to hosts
  spine,     ///< … next to leaves
  core,      ///< … next to spines
  switched,  ///< a switch of which nothing says its tier
  optical,   ///< a circuit switch: it joins ports and looks into no packet
  other,
};
inline constexpr std::size_t kNodeClasses = static_cast<std::size_t>(NodeClass::other) + 1;

/// "device", "pcie_switch", "switch" …
[[nodiscard]] std::string_view name(NodeClass kind);
/// Whether the node forwards messages: any kind of switch.
[[nodiscard]] bool is_switch(NodeClass kind);
/// 1: leaf, 2: spine, 3: core; 0: not a switch of a known tier.
[[nodiscard]] int switch_tier(NodeClass kind);

/// Technology of a link; reports group traffic by it.
enum class LinkClass : std::uint8_t {
  scale_up,  ///< NVLink, xGMI, UALink, ICI …
  pcie,
  network,  ///< Ethernet, InfiniBand
  host,     ///< between and behind CPUs: UPI, xGMI of CPUs, memory channels
  inside,   ///< parts of one thing, such as a switch and its port
  memory,   ///< into a memory that hangs in the network: CXL …
  other,
};
inline constexpr std::size_t kLinkClasses = static_cast<std::size_t>(LinkClass::other) + 1;

/// "scale-up", "pcie" …
[[nodiscard]] std::string_view name(LinkClass kind);

using NodeIndex = std::uint32_t;
using LinkIndex = std::uint32_t;

/// The properties of a link, in one direction.
struct LinkFigures {
  Bandwidth bandwidth{};        ///< of one; 0: not stated
  std::optional<Time> latency;  ///< until the first byte is there; empty: not stated
  std::uint32_t count = 1;      ///< equal ones side by side
  LinkClass kind = LinkClass::other;

  friend bool operator==(const LinkFigures&, const LinkFigures&) = default;
};

/// One direction of a link: a bundle of `figures.count` parallel links.
struct Link {
  NodeIndex from = 0;
  NodeIndex to = 0;
  LinkFigures figures;

  /// Bytes per second of the bundle; 0: not stated.
  [[nodiscard]] double capacity() const {
    return figures.bandwidth.count() * static_cast<double>(figures.count);
  }
  friend bool operator==(const Link&, const Link&) = default;
};

class Topology;

/// Routes that the generator of a topology computes by a formula, without a table.
class FormulaRoutes {
 public:
  virtual ~FormulaRoutes() = default;
  /// The first links of the routes from `at` to the device `to`, ascending; none: unknown. `at` is
  /// not `to`.
  virtual void next(const Topology& topology, NodeIndex at, NodeIndex to,
                    std::vector<LinkIndex>& out) const = 0;
};

/// Nodes and links, in columns. Links are ordered by `from`, then `to`, then insertion. Ranks are
/// the order of devices.
class Topology {
 public:
  static constexpr std::uint32_t kNoHost = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The source: "InfraGraph", "fat_tree".
  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] NodeIndex node_count() const { return static_cast<NodeIndex>(kinds_.size()); }
  [[nodiscard]] LinkIndex link_count() const { return static_cast<LinkIndex>(links_.size()); }
  [[nodiscard]] NodeClass kind(NodeIndex node) const { return kinds_[node]; }
  [[nodiscard]] const std::string& name(NodeIndex node) const { return names_[node]; }
  /// The machine of the node; kNoHost: none.
  [[nodiscard]] std::uint32_t host(NodeIndex node) const { return hosts_[node]; }
  [[nodiscard]] std::uint32_t host_count() const { return host_count_; }

  /// By rank.
  [[nodiscard]] std::span<const NodeIndex> devices() const { return devices_; }
  /// kNoRank: the node is no device.
  [[nodiscard]] std::uint32_t rank(NodeIndex node) const { return ranks_[node]; }

  [[nodiscard]] const Link& link(LinkIndex link) const { return links_[link]; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  /// Numbers of the links that leave a node: first, and one after the last.
  [[nodiscard]] std::pair<LinkIndex, LinkIndex> out(NodeIndex node) const {
    return {first_out_[node], first_out_[node + 1]};
  }
  /// Numbers of the links that lead to a node, ascending.
  [[nodiscard]] std::span<const LinkIndex> in(NodeIndex node) const {
    return std::span(in_).subspan(first_in_[node], first_in_[node + 1] - first_in_[node]);
  }
  /// Numbers of the links from one node to another: first, and one after the last. O(log links).
  [[nodiscard]] std::pair<LinkIndex, LinkIndex> between(NodeIndex from, NodeIndex to) const;
  /// "leaf3 -> spine1"
  [[nodiscard]] std::string link_name(LinkIndex link) const;

  /// Null: there is no formula.
  [[nodiscard]] const FormulaRoutes* formula_routes() const { return formula_routes_.get(); }

  /// Sets values that are not stated, by class of link. Classes without defaults are unchanged.
  [[nodiscard]] Topology with_defaults(std::span<const LinkFigures> by_class) const;

  /// Multiplies stated bandwidths and latencies.
  [[nodiscard]] Topology scaled(double bandwidth, double latency) const;

  /// Checks that bandwidth and latency of every link are stated. Errc: config_missing_key, with the
  /// number of links without them and the first one.
  [[nodiscard]] Result<void> check_figures(const std::string& where) const;

 private:
  friend class TopologyBuilder;

  std::string name_, origin_;
  std::vector<NodeClass> kinds_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> hosts_;
  std::uint32_t host_count_ = 0;
  std::vector<NodeIndex> devices_;
  std::vector<std::uint32_t> ranks_;
  std::vector<Link> links_;
  std::vector<LinkIndex> first_out_, first_in_, in_;
  std::shared_ptr<const FormulaRoutes> formula_routes_;
};

/// Builds a topology: nodes first, then links, then finish().
class TopologyBuilder {
 public:
  explicit TopologyBuilder(std::string name, std::string origin);
  /// Extends a topology: nodes keep their numbers, devices their ranks. O(nodes + links).
  explicit TopologyBuilder(const Topology& topology);

  /// Adds a node, numbered from 0. Beyond limits::kFabricNodes it adds nothing, and finish()
  /// returns the error.
  NodeIndex add(NodeClass kind, std::string name, std::uint32_t host = Topology::kNoHost);
  [[nodiscard]] NodeIndex node_count() const { return made_.node_count(); }
  [[nodiscard]] NodeClass kind(NodeIndex node) const { return made_.kind(node); }
  [[nodiscard]] const std::string& name(NodeIndex node) const { return made_.name(node); }
  void set_kind(NodeIndex node, NodeClass kind) { made_.kinds_[node] = kind; }
  /// Adds a machine.
  std::uint32_t add_host() { return made_.host_count_++; }
  [[nodiscard]] std::uint32_t host_count() const { return made_.host_count(); }
  void set_host(NodeIndex node, std::uint32_t host) { made_.hosts_[node] = host; }
  [[nodiscard]] std::uint32_t host(NodeIndex node) const { return made_.host(node); }

  /// One direction.
  void link(NodeIndex from, NodeIndex to, const LinkFigures& figures);
  /// Both directions.
  void join(NodeIndex a, NodeIndex b, const LinkFigures& figures);
  [[nodiscard]] std::size_t link_count() const { return made_.links_.size(); }
  /// Whether this many additional links and nodes are within the limits; if not, finish() returns
  /// the error. Code that adds many at once calls it before it allocates.
  [[nodiscard]] bool has_room(double links, double nodes = 0);
  /// All links so far, in order of insertion, for importers that learn the properties of links
  /// later.
  [[nodiscard]] std::span<Link> links() { return made_.links_; }

  /// Sets the rank of a device; devices without a rank follow all others, in order.
  void set_rank(NodeIndex device, std::uint32_t rank);
  void set_formula_routes(std::shared_ptr<const FormulaRoutes> routes) {
    made_.formula_routes_ = std::move(routes);
  }

  /// Errc: limit_exceeded (too many nodes or links), input_range (a link of a node that does not
  /// exist, from a node to itself, of no or infinite bandwidth), config_conflict (two devices of
  /// one rank, ranks of no device). Sorts links: O(links × log).
  [[nodiscard]] Result<Topology> finish(const std::string& where);

 private:
  [[nodiscard]] std::optional<Error> find_error(const std::string& where) const;
  [[nodiscard]] Result<std::vector<NodeIndex>> order_devices(const std::string& where) const;

  Topology made_;  // without the columns that finish() derives
  std::vector<std::pair<NodeIndex, std::uint32_t>> stated_ranks_;
  bool exceeds_limits_ = false;
};

}  // namespace orrery::platform
