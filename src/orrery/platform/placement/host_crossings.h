// SPDX-License-Identifier: Apache-2.0
//
// Finds groups of ranks with heavy communication that span several hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/platform/platform.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {

/// Counts groups that span hosts, and describes the first one. In a fabric, hosts are those that it
/// states; in dimensions, the result of node_dimensions(). A group counts if the bandwidth between
/// hosts is below that inside a host, or one of them is unknown. Groups with one rank per host do
/// not count.
class HostCrossings {
 public:
  /// `rank_devices`: devices by rank. They and the topology must outlive this.
  HostCrossings(const Topology& topology, std::span<const NodeIndex> rank_devices, Routing routing,
                std::vector<bool> down);
  /// The first `of_host` dimensions are a host.
  explicit HostCrossings(const std::vector<Dimension>& dims, std::size_t of_host);
  /// The platform must outlive the result.
  [[nodiscard]] static HostCrossings of(const Platform& platform);

  /// `ranks`: in ring order. O(ranks), and one route for each time that the ring leaves a host.
  void add_group(std::span<const std::uint32_t> ranks);

  [[nodiscard]] std::uint64_t groups() const { return groups_; }
  /// "ranks 0-15 sit on 2 hosts, with 50 GB/s from one to another and 9 times as much inside".
  /// Empty: no group crosses.
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  [[nodiscard]] bool spans_hosts(std::span<const std::uint32_t> ranks) const;
  /// Between two ranks of one host, the first host with two; empty: no host has two.
  [[nodiscard]] std::optional<double> bandwidth_inside(std::span<const std::uint32_t> ranks) const;
  /// The minimum between consecutive hosts of the ring.
  [[nodiscard]] double bandwidth_across(std::span<const std::uint32_t> ranks) const;
  void find_pairs();

  std::vector<std::uint32_t> hosts_;                               // by rank; empty: there are none
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;     // by host: two of its ranks
  std::function<double(std::uint32_t, std::uint32_t)> bandwidth_;  // of the route; 0: not known
  std::uint64_t groups_ = 0;
  std::string description_;
};

}  // namespace orrery::platform
