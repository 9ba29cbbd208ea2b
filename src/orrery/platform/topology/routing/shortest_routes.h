// SPDX-License-Identifier: Apache-2.0
//
// Shortest routes through any topology, computed on demand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Routes of the fewest hops, where passing through a device counts as one hop more (switches
/// forward traffic, devices usually do not); of these the widest: with the largest bottleneck
/// bandwidth. Returns all routes that are equal in both, so that routers may spread over them.
///
/// Hosts do not forward traffic of other hosts. A message that has left its host does not return to
/// it, and one that has reached the host of its destination does not leave it, unless there is no
/// other route. (next() knows only the current node: inside the destination's host it answers as
/// for a message that starts there.) So tables are small: one over the switches between hosts for
/// each set of switches from which a destination is entered (all devices behind one leaf share it),
/// and one of a few nodes for each host. If hosts, or devices outside all hosts, are linked
/// directly, the topology is one region with a table for each destination. When the tables exceed
/// kMaxBytes, all of them are deleted.
///
/// Uses bandwidths without faults. Not thread-safe.
class ShortestRoutes {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  /// `down[link]`: the link is down. Empty: none is. The topology must outlive this.
  explicit ShortestRoutes(const Topology& topology, std::vector<bool> down = {});

  /// The first links of all shortest routes from `at` to `to`, ascending; none: there is no route,
  /// or `at` is `to`. The first call for a destination searches its region: O(links of the region).
  void next(NodeIndex at, NodeIndex to, std::vector<LinkIndex>& out) const;

  /// Hops, counting devices on the route twice; kNoRoute: there is no route.
  [[nodiscard]] std::uint32_t distance(NodeIndex at, NodeIndex to) const;
  static constexpr std::uint32_t kNoRoute = 0xFFFF;

 private:
  /// Cost of the route from a node to a destination.
  struct Cost {
    std::uint16_t hops = kNoRoute;
    std::uint16_t width = 0;  // the place of the narrowest capacity among all that there are
    friend bool operator==(const Cost&, const Cost&) = default;
    friend auto operator<=>(const Cost&, const Cost&) = default;
  };
  using Table = std::vector<Cost>;  // by position in the region
  struct Seed {
    NodeIndex node;
    Cost cost;
    friend auto operator<=>(const Seed&, const Seed&) = default;
  };
  /// Tables of the destination's host: for messages from outside, and for messages that start
  /// inside.
  struct HostTables {
    Table inside, leaving;
  };
  struct Destination {
    NodeIndex node = 0;
    const Table* between = nullptr;    // hosts
    const HostTables* home = nullptr;  // null: it is in none
  };

  ShortestRoutes(const Topology& topology, std::vector<bool> down, bool is_whole);
  void divide(bool is_whole);
  [[nodiscard]] Cost cost_over(LinkIndex link, Cost from_there, NodeIndex to) const;
  [[nodiscard]] Table flood(std::uint32_t region, std::vector<Seed> seeds, NodeIndex to) const;
  [[nodiscard]] Destination destination(NodeIndex to) const;
  [[nodiscard]] const Table& host_table(std::uint32_t region, const Destination& to) const;
  [[nodiscard]] std::vector<Seed> exits(std::uint32_t region, const Table& between,
                                        NodeIndex to) const;
  /// Cost from `node`, for a message that comes from `region`.
  [[nodiscard]] Cost cost(NodeIndex node, std::uint32_t region, const Destination& to,
                          const Table* here) const;
  [[nodiscard]] const ShortestRoutes& undivided() const;
  void limit_memory(std::size_t entries) const;

  const Topology& topology_;
  std::vector<bool> down_;
  std::vector<std::uint16_t> widths_;    // by link
  std::vector<std::uint32_t> region_;    // by node; 0: between hosts
  std::vector<std::uint32_t> position_;  // in its region
  std::vector<std::vector<NodeIndex>> members_;
  bool is_divided_ = false;

  mutable std::map<std::vector<Seed>, Table> between_;
  mutable std::map<NodeIndex, std::pair<const Table*, HostTables>> destinations_;
  mutable std::map<std::pair<std::uint32_t, const Table*>, Table> hosts_;
  mutable std::size_t entries_ = 0;
  mutable std::unique_ptr<ShortestRoutes> undivided_;
};

}  // namespace orrery::platform
