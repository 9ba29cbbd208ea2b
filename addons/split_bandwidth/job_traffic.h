// SPDX-License-Identifier: Apache-2.0
//
// What a device sends in each dimension of the network.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "addons/split_bandwidth/bandwidth_split.h"
#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::split_bandwidth {

/// By dimension, innermost first: in how many places of it a group has members.
using Extents = std::vector<std::uint32_t>;

/// Of a group that is a grid of the dimensions: its members are all combinations of some places in
/// each. Empty: it is none. `sizes`: of the dimensions. O(members × dims).
[[nodiscard]] std::optional<Extents> extents_of(std::span<const std::uint32_t> members,
                                                std::span<const std::int64_t> sizes);

/// Of `ranks` ranks, `stride` apart, from rank 0 on. Errc: config_conflict where they do not fill
/// dimensions, or parts of them that divide them.
[[nodiscard]] Result<Extents> extents_of(std::int64_t ranks, std::int64_t stride,
                                         std::span<const std::int64_t> sizes,
                                         const std::string& where);

/// Bytes that a device sends in each dimension for one collective of a grid, dimension by
/// dimension: all-reduces 2 s (n - 1) / n, where s begins as the size and is divided by each n on
/// the way out; reduce-scatters half of that; all-gathers s (n - 1) on the way in, where s begins
/// as what a rank gives and is multiplied by each n; all-to-alls s (n - 1) / n in each. Nothing of
/// other types. `size` as graph nodes state it. Source: LIBRA (ISPASS 2024), hierarchical
/// collectives as in BlueConnect (MLSys 2019) section 3.
[[nodiscard]] std::vector<double> bytes_sent(graph::CollectiveType type, double size,
                                             const Extents& extents);

/// What a device can send in a dimension at once, over how much of it a link has: 1, and of fully
/// connected ones as many as there are peers.
[[nodiscard]] double links_of(const platform::Dimension& dim);

/// What a job's devices send.
struct JobTraffic {
  std::uint32_t rank = 0;       ///< of which it is told: whose takes longest with equal bandwidths
  std::vector<Demand> demands;  ///< of its collectives and messages; alike ones together
  std::uint64_t irregular_groups =
      0;                      ///< collectives of groups that are no grid: as one ring, whose
                              ///< every message crosses all dimensions that it crosses anywhere
  std::uint64_t unknown = 0;  ///< collectives of types that nothing is known of, left out
};

/// Of each kind of rank what it sends, and of these the one that sends for longest. Messages count
/// where they are sent, with all bytes in each dimension that they cross. O(nodes of all graphs).
[[nodiscard]] JobTraffic traffic_of(const graph::Workload& workload,
                                    std::span<const std::int64_t> sizes);

}  // namespace orrery::split_bandwidth
