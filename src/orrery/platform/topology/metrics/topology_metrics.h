// SPDX-License-Identifier: Apache-2.0
//
// What a fabric amounts to: how far, how wide, how thin.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The least and the most of something.
struct MetricRange {
  double minimum = 0, maximum = 0;
  friend bool operator==(const MetricRange&, const MetricRange&) = default;
};

/// Links that are alike.
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

  /// Links from one device to another, at most. Only from a sample of devices: `sampled`.
  std::uint32_t diameter = 0;
  std::optional<Time> farthest;  ///< the least latency of such a way; empty: not stated
  bool sampled = false;
  bool connected = true;  ///< every seat reaches every other

  // Links whose bandwidth is not stated count as none: then what follows is the least that it is.
  bool device_unknown = false, host_unknown = false,
       any_unknown = false;      ///< some of theirs are such
  MetricRange device_bandwidth;  ///< what leaves a device over all its links, in bytes/s
  MetricRange
      host_bandwidth;  ///< what leaves a host (or a device in none), for each of its devices
  /// What the first half of the seats can send to the second at once, over any ways; empty: too
  /// large to say, or fewer than two.
  std::optional<double> bisection;
  /// Capacity of a tier's switches towards hosts for each that they have upwards: leaves, spines;
  /// of those alone whose links all state theirs.
  std::optional<MetricRange> leaf_oversubscription, spine_oversubscription;
};

/// Devices of half A send to half B as much as the network allows: the least cut between them. By
/// augmenting paths (Dinic 1970). Empty where links × half is beyond what that is quick for.
[[nodiscard]] std::optional<double> max_flow(const Topology& topology,
                                             std::span<const NodeIndex> from,
                                             std::span<const NodeIndex> to);

/// `rank_devices`: devices by rank. O(seats × links) up to a limit, then of a sample.
[[nodiscard]] TopologyMetrics topology_metrics(const Topology& topology,
                                               std::span<const NodeIndex> rank_devices);

}  // namespace orrery::platform
