// SPDX-License-Identifier: Apache-2.0
//
// Bandwidth of a remote memory and of the links between memory and devices, by stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// A memory, or links that share the load evenly, which all bytes of some devices pass.
struct StageCapacity {
  std::string name;          ///< "3 groups of memory", "2 links for each 8 devices"
  double bytes_per_ns = 0;   ///< total in one direction
  std::int64_t devices = 0;  ///< consecutive devices that share it, in rank order; at least 1
  bool half_duplex = false;  ///< true (memory): loads and stores share it; false: full in each
};

/// Bytes per nanosecond that the links of a stage carry in one direction, if all their end points
/// send evenly to all.
///
/// - straight: links x bandwidth.
/// - ring of n: 2n equally busy links and n/4 hops on average (odd n: (n^2 - 1) / 4n; destinations
///   include the sender). Two places have one link in each direction.
/// - mesh, with routes dimension by dimension: the slowest dimension counts. Bytes whose ends are
/// on
///   both sides of the middle of a dimension of size a cross it: floor(a/2) ceil(a/2) / a^2 of them
///   in each direction over N/a links. (The hop-weighted mean, bytes x hops / links, treats links
///   at the rim as if they were as busy as those in the middle, and is up to 50 % too fast.)
[[nodiscard]] double stage_bytes_per_ns(const platform::MemoryStage& stage);

/// The memory, then its stages. Empty: there is no remote memory outside the network.
[[nodiscard]] std::vector<StageCapacity> stage_capacities(const platform::Platform& platform);

/// All memories that are end points of the network, with the total rate of their links in one
/// direction. Only for kind network.
[[nodiscard]] StageCapacity network_memory_capacity(const platform::Platform& platform);

/// Time until each of the first `devices` devices has loaded `size` bytes, if all begin together
/// and each stage forwards complete chunks:
///
///   latency + sum over stages of t(chunk) + (size/chunk - 1) x the greatest t(chunk),
///
/// t = bytes of all devices that share the stage / its rate; if switches gather, their bytes count
/// once. Without chunks: latency + the greatest t(size). Nanoseconds.
/// Source: the pipeline of ASTRA-sim 2.0's memory pools (ISPASS 2023, arXiv 2303.14006, section on
/// disaggregated memory), derived again; the formula of the paper is not public.
[[nodiscard]] double all_load_ns(const platform::Platform& platform, Bytes size,
                                 std::int64_t devices);

}  // namespace orrery::model
