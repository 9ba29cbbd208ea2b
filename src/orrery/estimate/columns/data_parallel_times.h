// SPDX-License-Identifier: Apache-2.0
//
// Durations of data-parallel communication during and after passes, on one mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/data_parallel_shape.h"
#include "orrery/estimate/columns/layer_times.h"
#include "orrery/estimate/program/op_costs.h"

namespace orrery::estimate {

/// Durations after the last backward pass of a stage, in picoseconds: before and after the
/// reduction of the gradient norm over all stages.
struct AfterPasses {
  double before = 0, after = 0;
  double kernels = 0;  ///< kernels in both
};

/// Applies to all plans with the same mesh and sharding. Times are in picoseconds.
struct DataParallelTimes {
  std::array<double, kPlaces> gather{}, reduce{};  ///< zero3: per part, by Place
  double product_slowdown = 0,
         other_slowdown = 0;  ///< share of the device that kernels lose to reductions
  /// By LayerGroup: whether its collectives and the reductions wait for each other.
  std::array<bool, kLayerGroups.size()> queued{};
  std::array<AfterPasses, kModelEnds> step;  ///< by ModelEnds
  double norm_reduction = 0;                 ///< reduction of the norm over all stages
};

/// A reduction of gradients during a backward pass.
struct Reduction {
  std::uint32_t after = 0;  ///< number of parts whose backward pass precedes it
  double duration = 0;
};

/// `layer`: times of such a plan with one sample per microbatch, without recomputation. Errc: those
/// of simulations.
[[nodiscard]] Result<DataParallelTimes> data_times(const DataParallelWork& work,
                                                   const LayerTimes& layer, OpCosts& costs);
/// Reductions of a chunk, by ModelEnds.
using BucketReductions = std::array<std::vector<Reduction>, kModelEnds>;
/// `layers`: per chunk. `chunks`: per stage. Errc: those of simulations.
[[nodiscard]] Result<BucketReductions> bucket_reductions(const DataParallelWork& work,
                                                         std::int64_t layers, std::int32_t chunks,
                                                         OpCosts& costs);

}  // namespace orrery::estimate
