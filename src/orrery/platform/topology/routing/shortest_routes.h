// SPDX-License-Identifier: Apache-2.0
//
// Shortest ways through any topology, found when they are asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Ways of the fewest hops, where passing through a device counts as one hop more (switches are
/// there for it, devices are not); of these the widest: whose narrowest link carries most. All that
/// are alike in both are answered, so that whoever routes may spread over them.
///
/// Hosts hand on nothing that is neither from nor for them; what has left its own host does not
/// come back, and what has come to its destination's does not leave it: unless there is no other
/// way. (next() knows only where something is: in the destination's host it answers as to one that
/// begins there.) That makes tables small: one over the switches between hosts for each set of
/// switches that a destination is entered from (all devices behind the same leaf share one), and
/// one of a few nodes for each host. Where hosts, or devices that are in none, are linked to each
/// other directly, everything is one region with a table for each destination. Tables are kept up
/// to kMaxBytes and then thrown away.
///
/// Stated bandwidths count, and not what faults leave of them. Not thread-safe.
class ShortestRoutes {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  /// `down[link]`: it is not there. Empty: all are. The topology must outlive this.
  explicit ShortestRoutes(const Topology& topology, std::vector<bool> down = {});

  /// The links that a shortest way from `at` to `to` may go on with, ascending; none: there is no
  /// way, or `at` is `to`. A first call for a destination floods its region: O(links of it).
  void next(NodeIndex at, NodeIndex to, std::vector<LinkIndex>& out) const;

  /// Hops, devices that are passed through counted twice; kNoRoute: there is none.
  [[nodiscard]] std::uint32_t distance(NodeIndex at, NodeIndex to) const;
  static constexpr std::uint32_t kNoRoute = 0xFFFF;

 private:
  /// To a destination from here.
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
  /// In its own host: for those who come from outside, and for those who begin there.
  struct Home {
    Table inside, leaving;
  };
  struct Destination {
    NodeIndex node = 0;
    const Table* between = nullptr;  // hosts
    const Home* home = nullptr;      // null: it is in none
  };

  ShortestRoutes(const Topology& topology, std::vector<bool> down, bool whole);
  void divide(bool whole);
  [[nodiscard]] Cost over(LinkIndex link, Cost from_there, NodeIndex to) const;
  [[nodiscard]] Table flood(std::uint32_t region, std::vector<Seed> seeds, NodeIndex to) const;
  [[nodiscard]] Destination destination(NodeIndex to) const;
  [[nodiscard]] const Table& of_host(std::uint32_t region, const Destination& to) const;
  [[nodiscard]] std::vector<Seed> exits(std::uint32_t region, const Table& between,
                                        NodeIndex to) const;
  /// From `node`, when coming from `region`.
  [[nodiscard]] Cost cost(NodeIndex node, std::uint32_t region, const Destination& to,
                          const Table* here) const;
  [[nodiscard]] const ShortestRoutes& whole() const;
  void remember(std::size_t entries) const;

  const Topology& topology_;
  std::vector<bool> down_;
  std::vector<std::uint16_t> widths_;    // by link
  std::vector<std::uint32_t> region_;    // by node; 0: between hosts
  std::vector<std::uint32_t> position_;  // in its region
  std::vector<std::vector<NodeIndex>> members_;
  bool divided_ = false;

  mutable std::map<std::vector<Seed>, Table> between_;
  mutable std::map<NodeIndex, std::pair<const Table*, Home>> destinations_;
  mutable std::map<std::pair<std::uint32_t, const Table*>, Table> hosts_;
  mutable std::size_t entries_ = 0;
  mutable std::unique_ptr<ShortestRoutes> whole_;
};

}  // namespace orrery::platform
