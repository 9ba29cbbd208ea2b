// SPDX-License-Identifier: Apache-2.0
//
// Where a fabric is too thin for what has to pass: least cuts, exactly, by greatest flows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// So much may the weights come to.
inline constexpr std::int64_t kMaxWeight = 1 << 20;

/// Which way things go through the wires.
enum class Direction : std::uint8_t { along, against };

/// A set of nodes that lacks one of those that want what is in it.
struct TightCut {
  std::vector<bool> inside;  ///< by node
  std::int64_t weight = 0;   ///< of what is inside
  double capacity = 0;  ///< of what leaves it (`against`: of what leads to it); 0: nothing does
  bool exact = true;    ///< no other is tighter; else the search was cut short
};

/// Of all sets that lack at least one of `wants`, one with the most weight for the capacity that
/// leaves it: no less time does all weight take to all that want it. `weight` by node, `wants` not
/// empty.
///
/// Newton's method over least cuts, one sink after another, as ForestColl (Zhao et al.) finds
/// the optimum of all-gathers by a search over greatest flows: with x = capacity / weight of the
/// best so far, a better one exists where the flow from all weight, each w × x, to some sink is
/// less than all of it. A sink without one is in every better set, so it becomes a source without
/// limit; later flows are short for that. Exact where all capacities are whole multiples of a
/// number that is not below 2^-40 of their sum; else to one part in 2^40. O(sinks × flow), stopped
/// after `steps` arcs.
[[nodiscard]] TightCut tightest_cut(const FabricState& fabric, std::span<const std::int64_t> weight,
                                    std::span<const NodeIndex> wants, Direction direction,
                                    std::uint64_t steps);

/// The nodes on the side of `from` in a least cut between two sets; empty: not within `steps`.
[[nodiscard]] std::optional<std::vector<bool>> min_cut(const FabricState& fabric,
                                                       std::span<const NodeIndex> from,
                                                       std::span<const NodeIndex> to,
                                                       std::uint64_t steps);

/// What leaves a set (`against`: what leads to it), in bytes per second.
[[nodiscard]] double cut_capacity(const FabricState& fabric, const std::vector<bool>& inside,
                                  Direction direction);

}  // namespace orrery::synthesis
