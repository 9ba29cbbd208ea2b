// SPDX-License-Identifier: Apache-2.0
//
// Metrics of a fabric: distances, bisection bandwidth, oversubscription.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

struct MetricRange {
  double minimum = 0, maximum = 0;
  friend bool operator==(const MetricRange&, const MetricRange&) = default;
};

/// Links with equal properties.
struct LinkGroup {
  LinkFigures figures;
  std::uint32_t links = 0;  ///< directed; bundles count once
  friend bool operator==(const LinkGroup&, const LinkGroup&) = default;
};

struct TopologyMetrics {
  std::array<std::uint32_t, kNodeClasses> nodes{};  ///< by class
  std::vector<LinkGroup> links;                     ///< by class, then bandwidth, then latency
  std::uint32_t hosts = 0;
  MetricRange devices_per_host;  ///< of hosts that have any; 0: none has

  /// Maximum number of links between two devices. `sampled`: only from a sample of devices.
  std::uint32_t diameter = 0;
  std::optional<Time> farthest;  ///< the minimum latency of such a route; empty: not stated
  bool sampled = false;
  bool connected = true;  ///< every rank reaches every other

  // Links without a stated bandwidth count as 0: the values below are then lower bounds.
  bool device_unknown = false, host_unknown = false,
       any_unknown = false;      ///< some of their bandwidths are unknown
  MetricRange device_bandwidth;  ///< of all links of a device, in bytes/s
  MetricRange
      host_bandwidth;  ///< of all links of a host (or of a device outside hosts), per device
  /// Bandwidth from the first half of the ranks to the second over all routes; empty: too large to
  /// compute, or fewer than two ranks.
  std::optional<double> bisection;
  /// Downlink capacity of a switch divided by its uplink capacity, for leaves and spines whose
  /// links all state a bandwidth.
  std::optional<MetricRange> leaf_oversubscription, spine_oversubscription;
};

/// Maximum flow from one set of devices to another, which is their minimum cut, by augmenting paths
/// (Dinic 1970). Empty if the computation would take too long.
[[nodiscard]] std::optional<double> max_flow(const Topology& topology,
                                             std::span<const NodeIndex> from,
                                             std::span<const NodeIndex> to);

/// `rank_devices`: devices by rank. O(ranks × links) up to a limit; above, from a sample of ranks.
[[nodiscard]] TopologyMetrics topology_metrics(const Topology& topology,
                                               std::span<const NodeIndex> rank_devices);

}  // namespace orrery::platform
