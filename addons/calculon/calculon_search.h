// SPDX-License-Identifier: Apache-2.0
//
// Evaluates all plans of Calculon's search, and returns the best.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "addons/calculon/step_estimate.h"

namespace orrery::estimate::calculon {

struct SearchRequest {
  std::int64_t devices = 1;
  std::int64_t most_batch = 1;  ///< samples; rounded down to a multiple of the copies
  DataType datatype = DataType::float16;
  Attention attention = Attention::multihead;
  bool fused_activation = true;
  std::size_t best = 1;       ///< number of plans to return
  std::uint32_t threads = 1;  ///< 0: number of cores
};

struct RankedPlan {
  Plan plan;
  double samples_per_second = 0, seconds = 0;
  Space space;
};

struct Search {
  std::vector<RankedPlan> best;  ///< fastest first; equally fast ones in the order of the search
  std::uint64_t candidates = 0, feasible = 0;
  std::array<std::uint64_t, kRefusalCount> refused{};  ///< by Refusal
};

/// Searches parallelisms that divide devices, heads, hidden and blocks, and all microbatches,
/// interleavings, recomputations, PartJoining and Overlap kinds, offloading, optimizer sharding,
/// and networks. These are the candidates of `calculon llm-optimal-execution`
/// (calculon/llm/optimal_execution.py). The costs of a block are computed once for all candidates
/// that share them; memory is checked before times are computed. The result does not depend on the
/// number of threads. `progress` is called with the number of completed pairs of tensor and
/// pipeline parallelism and their total, from any thread, one call at a time. Errc: config_conflict
/// if the machine has no data for the data type.
[[nodiscard]] Result<Search> search(
    const Model& model, const Machine& machine, const SearchRequest& asked,
    const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace orrery::estimate::calculon
