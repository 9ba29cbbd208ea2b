// SPDX-License-Identifier: Apache-2.0
//
// Finds the cut with the least capacity for the data that must cross it, exactly, by maximum flows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// The maximum sum of weights.
inline constexpr std::int64_t kMaxWeight = 1 << 20;

/// Direction of flow through the wires.
enum class Direction : std::uint8_t { forward, backward };

/// A set of nodes that does not contain all sinks.
struct TightCut {
  std::vector<bool> inside;  ///< by node
  std::int64_t weight = 0;   ///< sum of the weights inside
  double capacity = 0;       ///< capacity of the links that leave it (`backward`: that enter it);
                             ///< 0: there are none
  bool exact = true;         ///< no other cut is tighter; false: the search stopped early
};

/// Returns the set with the largest ratio of weight to leaving capacity among all sets that do not
/// contain all of `sinks`. No schedule sends all weight to all of `sinks` in less time than this
/// ratio. `weight` is by node; `sinks` must not be empty.
///
/// Uses Newton's method over minimum cuts, one sink after another, as ForestColl (Zhao et al.)
/// finds the optimum of all-gathers by a search over maximum flows. Let x = capacity / weight of
/// the best set so far. A better set exists if the flow from all weights, each w × x, to some sink
/// is less than their sum. A sink without such a set is in every better set. It then becomes a
/// source without limit, so that later flows are short. Exact if all capacities are multiples of a
/// number of at least 2^-40 of their sum; else within one part in 2^40. O(sinks × flow), stopped
/// after `steps` arcs.
[[nodiscard]] TightCut tightest_cut(const FabricState& fabric, std::span<const std::int64_t> weight,
                                    std::span<const NodeIndex> sinks, Direction direction,
                                    std::uint64_t steps);

/// The nodes on the side of `from` in a minimum cut between two sets; empty if it needs more than
/// `steps` steps.
[[nodiscard]] std::optional<std::vector<bool>> min_cut(const FabricState& fabric,
                                                       std::span<const NodeIndex> from,
                                                       std::span<const NodeIndex> to,
                                                       std::uint64_t steps);

}  // namespace orrery::synthesis
