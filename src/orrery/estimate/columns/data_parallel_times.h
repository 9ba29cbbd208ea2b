// SPDX-License-Identifier: Apache-2.0
//
// What data parallelism takes beside and after passes, on one mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/data_parallel_shape.h"
#include "orrery/estimate/columns/layer_times.h"
#include "orrery/estimate/program/op_costs.h"

namespace orrery::estimate {

/// What follows the last backward pass of a stage, in picoseconds: up to where stages sum up the
/// norm, and after that.
struct AfterPasses {
  double before = 0, after = 0;
  double kernels = 0;  ///< of both
};

/// For all plans with the same mesh and sharding.
struct DataParallelTimes {
  std::array<double, kPlaces> gather{}, reduce{};  ///< zero3: of a part, by Place
  double of_products = 0, of_others = 0;  ///< what its collectives take of kernels beside them
  std::array<bool, kLayerGroups.size()>
      queued{};                         ///< by Within: those collectives wait for its own
  std::array<AfterPasses, kEnds> step;  ///< by Ends
  double together = 0;                  ///< the sum over all stages
};

/// A sum of gradients that is sent off in a backward pass.
struct Reduction {
  std::uint32_t after = 0;  ///< so many parts
  double duration = 0;
};

/// `layer`: times of such a plan with one sample in a microbatch, without recomputation. Errc:
/// those of simulations.
[[nodiscard]] Result<DataParallelTimes> data_times(const DataParallelWork& work,
                                                   const LayerTimes& layer, OpCosts& costs);
/// Of chunks of so many layers, by Ends.
using BucketReductions = std::array<std::vector<Reduction>, kEnds>;
/// `chunks`: of a stage. Errc: likewise.
[[nodiscard]] Result<BucketReductions> bucket_reductions(const DataParallelWork& work,
                                                         std::int64_t layers, std::int32_t chunks,
                                                         OpCosts& costs);

}  // namespace orrery::estimate
