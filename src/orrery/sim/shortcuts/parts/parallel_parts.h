// SPDX-License-Identifier: Apache-2.0
//
// Divides the ranks into parts that can be simulated in parallel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/shortcuts/folding/folded_workload.h"

namespace orrery::sim {

/// Parts of the ranks that only exchange point-to-point messages.
struct ParallelParts {
  static constexpr std::uint32_t kMaxParts = 64;

  std::vector<std::uint32_t> part_of;  ///< by simulated rank; empty: one part
  std::uint32_t count = 1;
  /// By part and other part, picoseconds: what a part does at time T does not affect the other one
  /// before T + lookahead, on any route through other parts. For a part itself: the time until its
  /// effects return. The largest number: never.
  std::vector<std::int64_t> lookahead;
  std::string why_one;  ///< why there is only one part

  [[nodiscard]] std::int64_t ahead(std::uint32_t part, std::uint32_t other) const {
    return lookahead[std::size_t{part} * count + other];
  }
};

/// Finds the parts. Ranks that meet in a collective, or at a memory that they share, are in one
/// part. Parts have similar numbers of nodes and, as far as possible, consecutive ranks. The result
/// depends only on the arguments.
///
/// There is only one part in these cases: the order of events at one time affects the result (ASTRA
/// rules); all ranks share something (links of the message model, a memory pool, loads that Themis
/// or round robin levels); the rendezvous protocol; custom collectives; a message between parts
/// takes no time. O(nodes of all graphs + ranks × (groups + peers) + kMaxParts³).
[[nodiscard]] ParallelParts find_parts(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Network& network,
                                       const Communicators& communicators,
                                       const FoldedWorkload& folded_workload);

}  // namespace orrery::sim
