// SPDX-License-Identifier: Apache-2.0
//
// What a remote memory and the links between it and devices carry, stage by stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// A place that all bytes of some devices pass: a memory, or links that share them evenly.
struct StageCapacity {
  std::string name;          ///< "3 groups of memory", "2 links for each 8 devices"
  double bytes_per_ns = 0;   ///< in all, in one direction
  std::int64_t devices = 0;  ///< that share it, side by side in the order of ranks; at least 1
  bool half_duplex = false;  ///< loads and stores share it: a memory; links have it for each
};

/// Bytes per nanosecond that a stage's links carry in one direction when all that they join send
/// evenly to all.
///
/// straight: links x bandwidth. ring of n: 2n links, and n/4 hops on average (of odd n
/// (n^2 - 1) / 4n, itself among who is sent to), all links alike; of two places one link each way.
/// mesh: dimension by dimension, so that of the bytes those with ends on both sides of the middle
/// cross it, floor(a/2) ceil(a/2) / a^2 each way over N/a links; the least dimension counts. (The
/// hop-weighted mean, bytes x hops / links, takes the links at the rim for as busy as those in the
/// middle, and is up to a half too quick.)
[[nodiscard]] double stage_bytes_per_ns(const platform::MemoryStage& stage);

/// The memory, then its stages. Empty: there is none.
[[nodiscard]] std::vector<StageCapacity> stage_capacities(const platform::Platform& platform);

/// All memories that are end points of the network: what their links carry together, in one
/// direction. kind network only.
[[nodiscard]] StageCapacity network_memory_capacity(const platform::Platform& platform);

/// How long it takes until each of `devices` devices, from the first on, has loaded `size` bytes,
/// if all begin together and chunks go from stage to stage as they are whole:
///
///   latency + sum over stages of t(chunk) + (size/chunk - 1) x the greatest t(chunk),
///
/// t = bytes of the devices that share the stage / what it carries; once for all of them where
/// switches gather. Without chunks latency + the greatest t(size). Nanoseconds.
/// Source: the pipeline of ASTRA-sim 2.0's memory pools (ISPASS 2023, arXiv 2303.14006, section on
/// disaggregated memory), worked out anew; the paper's own formula is not public.
[[nodiscard]] double all_load_ns(const platform::Platform& platform, Bytes size,
                                 std::int64_t devices);

}  // namespace orrery::model
