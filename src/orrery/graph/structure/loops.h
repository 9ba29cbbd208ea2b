// SPDX-License-Identifier: Apache-2.0
//
// Finds the repetitions of a rank's work that are layers, microbatches and steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/graph/structure/repeat_folding.h"
#include "orrery/graph/structure/spine.h"

namespace orrery::graph {

/// Collectives of this size or more carry gradients or weights; smaller ones carry a loss or a
/// norm.
inline constexpr Bytes kMinimumGradientBuffer{64 << 10};

/// A repetition on the spine: `times` consecutive periods of `period` works each.
struct Loop {
  std::size_t first = 0;     ///< index in Spine::works
  std::uint32_t period = 1;  ///< works
  std::uint32_t times = 1;
  WorkPasses passes;  ///< passes of its works

  [[nodiscard]] std::size_t end() const { return first + std::size_t{period} * times; }
};

struct Loops {
  /// Layers: one loop for each pass of each microbatch. No nested loop takes most of the time of
  /// such a loop. It neither begins nor ends with a message and has no optimizer. Contains only
  /// loops with the layer count that takes most of the time, or up to two layers more or fewer:
  /// fusion with neighboring work can make the first and the last layer differ.
  std::vector<Loop> layers;
  /// Microbatches: outermost repetitions of such passes, without the work that a step does only
  /// once. A pipeline stage has one for its warm-up, one for its steady state and one for its
  /// cool-down.
  std::vector<Loop> passes;
  /// Other repetitions outside of both, such as the parameters of an optimizer.
  std::vector<Loop> others;
  std::uint32_t steps = 1;
  /// Passes differ in their numbers of layers, or one pass has layers of several kinds in sequence.
  bool is_uneven = false;
  std::uint32_t layer_count = 0;  ///< in one pass: the maximum over `layers`
  /// Layers that scopes name; 0: none. More than layer_count if layers at the ends differ from the
  /// others, or if several kinds alternate.
  std::uint32_t named_layers = 0;
  std::uint32_t forwards = 0;  ///< forward passes through layers per step
};

/// All loops of a rank. Uses named layers if they are equivalent, and the labels of steps and
/// passes. `folded`: the folded spine (fold_repeats). Weighs loops by recorded time, in graphs
/// without times by the number of works. O(works).
[[nodiscard]] Loops find_loops(const Graph& graph, const Spine& spine,
                               std::span<const Repeat> folded);

}  // namespace orrery::graph
