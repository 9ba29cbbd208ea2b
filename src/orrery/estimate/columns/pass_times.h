// SPDX-License-Identifier: Apache-2.0
//
// Durations of passes through one chunk, with concurrent data-parallel communication.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/estimate/columns/data_parallel_times.h"
#include "orrery/estimate/columns/layer_times.h"
#include "orrery/estimate/columns/pipeline_closed_form.h"

namespace orrery::estimate {

/// When gradients are reduced, and weights gathered.
enum class GradientTiming : std::uint8_t {
  late,    ///< after all passes
  once,    ///< in the last pass that computes gradients
  always,  ///< in every such pass
  shards   ///< … and weights are gathered in every pass
};

struct ChunkShape {
  std::int32_t layers = 1;
  ModelEnds ends = ModelEnds::none;
  GradientTiming timing = GradientTiming::once;
  bool split = false;      ///< backward passes run in halves; not with `always` and `shards`
  bool in_phases = false;  ///< all forward passes come first
  std::int32_t microbatches = 1;
  std::int32_t prefetch = 1, prefetch_backward = 1;
};

struct ChunkPasses {
  /// Between other passes. If not split, `weight` is the complete backward pass.
  PassTimes duration;
  PassTimes first;  ///< the same for the first of all passes
  PassTimes plain;  ///< the same without concurrent communication
  /// Saved by a pass that waits for a message first: its weights are gathered meanwhile.
  PassTimes saved_by_waiting;
  double reduction_time = 0;   ///< total duration of reductions in one backward pass
  double last_pass_extra = 0;  ///< additional duration of the last pass
  double reduction_tail = 0;   ///< duration of its reductions after its end
};

/// Simulates a chunk part by part: gathers and reductions form one queue, and slow concurrent
/// kernels. `duration` is that of the second of repeated passes. `carried`: remaining duration of
/// reductions of other chunks when the last pass begins. O(layers), allocates nothing.
[[nodiscard]] ChunkPasses chunk_passes(const LayerTimes& layer, const DataParallelTimes& data,
                                       std::span<const Reduction> reductions,
                                       const ChunkShape& shape, double carried = 0);

/// Passes without concurrent communication.
[[nodiscard]] PassTimes plain_passes(const LayerTimes& layer, std::int32_t layers, ModelEnds ends);
/// Kernel time of these passes.
[[nodiscard]] PassTimes kernels_of(const LayerTimes& layer, std::int32_t layers, ModelEnds ends);

}  // namespace orrery::estimate
