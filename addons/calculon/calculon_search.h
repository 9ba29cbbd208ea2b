// SPDX-License-Identifier: Apache-2.0
//
// All plans that Calculon's search looks at, and the best of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "addons/calculon/step_estimate.h"

namespace orrery::estimate::calculon {

struct SearchRequest {
  std::int64_t devices = 1;
  std::int64_t most_batch = 1;  ///< samples; copies get as many as go in evenly
  DataType datatype = DataType::float16;
  Attention attention = Attention::multihead;
  bool fused_activation = true;
  std::size_t best = 1;       ///< how many to answer
  std::uint32_t threads = 1;  ///< 0: as many as there are cores
};

struct Found {
  Plan plan;
  double samples_per_second = 0, seconds = 0;
  Space space;
};

struct Search {
  std::vector<Found> best;  ///< the fastest first; equal ones in the order of the search
  std::uint64_t candidates = 0, feasible = 0;
  std::array<std::uint64_t, kRefusalCount> refused{};  ///< by Refusal
};

/// Parallelisms that divide devices, heads, hidden and blocks, all microbatches, interleavings,
/// recomputation, kinds of joining and overlap, offloading, sharing of the optimizer, and networks:
/// the candidates of `calculon llm-optimal-execution` (calculon/llm/optimal_execution.py). What
/// blocks take is worked out once for all candidates that have it alike, memory before time.
/// The same with any number of threads. `progress` is told pairs of tensor and pipeline
/// parallelism that are done, of all; from any thread, one at a time.
/// Errc: config_conflict: the machine does not know the data type.
[[nodiscard]] Result<Search> search(
    const Model& model, const Machine& machine, const SearchRequest& asked,
    const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace orrery::estimate::calculon
