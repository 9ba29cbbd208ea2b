// SPDX-License-Identifier: Apache-2.0
//
// The bytes that a device sends in each dimension of the network.
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

/// By dimension, innermost first: the number of positions of the dimension at which a group has
/// members.
using Extents = std::vector<std::uint32_t>;

/// The extents of a group that is a grid, i.e. whose members are all combinations of some positions
/// in each dimension. Empty: it is not a grid. `sizes`: of the dimensions. O(members × dims).
[[nodiscard]] std::optional<Extents> extents_of(std::span<const std::uint32_t> members,
                                                std::span<const std::int64_t> sizes);

/// The extents of `ranks` ranks at distance `stride`, starting at rank 0. Errc: config_conflict if
/// they do not fill complete dimensions or parts that divide them.
[[nodiscard]] Result<Extents> extents_of(std::int64_t ranks, std::int64_t stride,
                                         std::span<const std::int64_t> sizes,
                                         const std::string& where);

/// Bytes that a device sends in each dimension for one collective on a grid, processed dimension by
/// dimension. All-reduce: 2 s (n - 1) / n, where s starts as the size and is divided by each n,
/// from inner to outer dimensions. Reduce-scatter: half of that. All-gather: s (n - 1), where s
/// starts as the input of a rank and is multiplied by each n, from outer to inner dimensions.
/// All-to-all: s (n - 1) / n in each dimension. Other types: 0. `size` as stated in graph nodes.
/// Source: LIBRA (ISPASS 2024), hierarchical collectives as in BlueConnect (MLSys 2019) section 3.
[[nodiscard]] std::vector<double> bytes_sent(graph::CollectiveType type, double size,
                                             const Extents& extents);

/// The bandwidth of a device in a dimension divided by that of one link: 1, or the number of peers
/// for fully connected dimensions.
[[nodiscard]] double links_of(const platform::Dimension& dim);

/// The traffic of a job's devices.
struct JobTraffic {
  std::uint32_t rank = 0;  ///< rank whose communication lasts longest with equal bandwidths
  std::vector<CollectiveTraffic> demands;  ///< its collectives and messages; equal ones are merged
  std::uint64_t irregular_groups =
      0;  ///< collectives of groups that are not grids: modeled as one ring, where each message
          ///< crosses all dimensions that any message of the ring crosses
  std::uint64_t unknown = 0;  ///< collectives of unsupported types; omitted
};

/// Computes the traffic of each kind of rank, and returns that of the rank whose communication
/// lasts longest. Messages count at the sender, with all their bytes in each dimension that they
/// cross. O(nodes of all graphs).
[[nodiscard]] JobTraffic traffic_of(const graph::Workload& workload,
                                    std::span<const std::int64_t> sizes);

}  // namespace orrery::split_bandwidth
