// SPDX-License-Identifier: Apache-2.0
//
// Which ranks can be simulated apart from which others.
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

/// Ranks cut into parts that only send each other messages from point to point.
struct ParallelParts {
  static constexpr std::uint32_t kMaxParts = 64;

  std::vector<std::uint32_t> part_of;  ///< by simulated rank; empty: one part
  std::uint32_t count = 1;
  /// By part and other part, picoseconds: what a part does at T has no effect on the other before
  /// T + that, by whatever detour; for a part itself, what comes back. The largest number: never.
  std::vector<std::int64_t> lookahead;
  std::string why_one;  ///< why there is only one

  [[nodiscard]] std::int64_t ahead(std::uint32_t part, std::uint32_t other) const {
    return lookahead[std::size_t{part} * count + other];
  }
};

/// Ranks that meet in a collective, or at a memory that they share, are in one part; parts have
/// about as many nodes each, and are of consecutive ranks as far as that allows. Depends on nothing
/// but its arguments.
///
/// There is one part only where the order of events of one time can be seen (ASTRA rules), where
/// something is shared by all (links of the message model, a memory pool, loads that Themis or
/// round robin levels), under the rendezvous protocol, with custom collectives, and where a message
/// between parts takes no time. O(nodes of all graphs + ranks × (groups + peers) + kMost³).
[[nodiscard]] ParallelParts find_parts(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Network& network,
                                       const Communicators& communicators,
                                       const FoldedWorkload& folded_workload);

}  // namespace orrery::sim
