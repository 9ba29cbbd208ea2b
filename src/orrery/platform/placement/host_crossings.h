// SPDX-License-Identifier: Apache-2.0
//
// Groups of ranks that talk much, and do not sit on one host.
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

/// Looks at one group after another and counts those that cross hosts. In a fabric hosts are those
/// that it states; in dimensions, what `node_dimensions` takes for one. A crossing counts where
/// less leads from one host to another than from device to device inside one, or figures are not
/// known; where every host has one rank there is nothing to keep inside. The first that crosses is
/// described.
class HostCrossings {
 public:
  /// `rank_devices`: devices by rank. The topology and they must outlive this.
  HostCrossings(const Topology& topology, std::span<const NodeIndex> rank_devices, Routing routing,
                std::vector<bool> down);
  /// In dimensions, ranks in order.
  explicit HostCrossings(const std::vector<Dimension>& dims, std::size_t of_host);
  /// Whichever the platform has; it must outlive this.
  [[nodiscard]] static HostCrossings of(const Platform& platform);

  /// Ranks in the order of their ring, each with a seat. O(ranks), and as many ways as the ring
  /// leaves a host.
  void add_group(std::span<const std::uint32_t> ranks);

  [[nodiscard]] std::uint64_t groups() const { return groups_; }
  /// "ranks 0-15 sit on 2 hosts, with 50 GB/s from one to another and 9 times as much inside".
  /// Empty: no group crosses.
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  [[nodiscard]] bool crosses(std::span<const std::uint32_t> ranks) const;
  /// From a rank to another of its host, the first of theirs that has two; empty: none has.
  [[nodiscard]] std::optional<double> inside(std::span<const std::uint32_t> ranks) const;
  /// The least from one host to the next.
  [[nodiscard]] double across(std::span<const std::uint32_t> ranks) const;
  void set_pairs();

  std::vector<std::uint32_t> hosts_;                               // by rank; empty: there are none
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;     // by host: two of its ranks
  std::function<double(std::uint32_t, std::uint32_t)> bandwidth_;  // of the way; 0: not known
  std::uint64_t groups_ = 0;
  std::string description_;
};

}  // namespace orrery::platform
