// SPDX-License-Identifier: Apache-2.0
//
// What passes through one chunk take, with what data parallelism does beside them.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/estimate/columns/data_parallel_times.h"
#include "orrery/estimate/columns/layer_times.h"
#include "orrery/estimate/columns/pipeline_closed_form.h"

namespace orrery::estimate {

/// When gradients are summed up, and weights gathered.
enum class GradientTiming : std::uint8_t {
  late,    ///< after all passes
  once,    ///< in the last pass that makes gradients
  always,  ///< in every such pass
  shards   ///< … and weights are gathered for every pass
};

struct ChunkShape {
  std::int32_t layers = 1;
  Ends ends = Ends::none;
  GradientTiming way = GradientTiming::once;
  bool split = false;      ///< backward passes run in halves; not with `always` and `shards`
  bool in_phases = false;  ///< all forward passes come first
  std::int32_t microbatches = 1;
  std::int32_t prefetch = 1, prefetch_backward = 1;
};

struct ChunkPasses {
  PassTimes
      duration;      ///< where others go before and after; not split, backward passes are `weight`
  PassTimes first;   ///< the same of the first of all passes
  PassTimes plain;   ///< the same with nothing beside
  PassTimes waited;  ///< what passes take less that had to wait for a message before
  double sums = 0;   ///< of one backward pass
  double last = 0;   ///< what the last pass takes more
  double tail = 0;   ///< how long its sums go on after it
};

/// Part by part: gatherings and sums are one queue, beside which kernels are slower. Of passes that
/// do the same each time the second round counts. `carried`: how long sums of other chunks go on
/// when the last pass begins. O(layers), allocates nothing.
[[nodiscard]] ChunkPasses chunk_passes(const LayerTimes& layer, const DataParallelTimes& data,
                                       std::span<const Reduction> sent, const ChunkShape& shape,
                                       double carried = 0);

/// Passes with nothing beside them.
[[nodiscard]] PassTimes plain_passes(const LayerTimes& layer, std::int32_t layers, Ends ends);
/// Kernels of these.
[[nodiscard]] PassTimes kernels_of(const LayerTimes& layer, std::int32_t layers, Ends ends);

}  // namespace orrery::estimate
