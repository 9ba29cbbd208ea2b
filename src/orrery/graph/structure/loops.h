// SPDX-License-Identifier: Apache-2.0
//
// Which repetitions of a rank's work are layers, microbatches and steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/graph/structure/repeat_folding.h"
#include "orrery/graph/structure/spine.h"

namespace orrery::graph {

/// Collectives of so much and more are of gradients or weights; less is a loss or a norm.
inline constexpr Bytes kMinimumGradientBuffer{64 << 10};

/// So many periods of so many works of the spine, one right after another.
struct Loop {
  std::size_t first = 0;     ///< place in Spine::works
  std::uint32_t period = 1;  ///< works
  std::uint32_t times = 1;
  WorkPasses passes;  ///< what is in it

  [[nodiscard]] std::size_t end() const { return first + std::size_t{period} * times; }
};

struct Loops {
  /// Repetitions in which nothing that repeats takes most of the time, that neither begin nor end
  /// with a message, and have no optimizer: layers.
  /// One for each pass of each microbatch. Only those that take most and others with as many or up
  /// to two less or more (the first and the last layer differ from the others where something is
  /// fused with what comes before or behind).
  std::vector<Loop> layers;
  /// Repetitions of such passes, without what steps have only once; outermost first met. A pipeline
  /// stage has one for its warm-up, one for its steady state, one for what is left.
  std::vector<Loop> passes;
  /// What else repeats, outside of both: an optimizer's parameters.
  std::vector<Loop> others;
  std::uint32_t steps = 1;
  /// Passes that go through other numbers of layers, or whose layers are of several kinds, one kind
  /// after another.
  bool uneven = false;
  std::uint32_t layer_count = 0;  ///< in one pass; the most of `layers`
  /// … that are named (scopes); 0: none are. More than layer_count where those at the ends are not
  /// like the others, or several take turns.
  std::uint32_t named_layers = 0;
  std::uint32_t forwards = 0;  ///< passes forward through layers in a step
};

/// All of a rank. Layers are those that are named, where these are alike; steps and passes, too, go
/// by what is said of them. `folded`: its spine (fold_repeats). What takes most is told by recorded
/// times; of graphs without any, by numbers of works. O(works).
[[nodiscard]] Loops find_loops(const Graph& graph, const Spine& spine,
                               std::span<const Repeat> folded);

}  // namespace orrery::graph
