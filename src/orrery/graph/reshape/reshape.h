// SPDX-License-Identifier: Apache-2.0
//
// Changes the number of layers or microbatches of a job.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Numbers of layers and microbatches. Empty: as found in the traces, or unchanged.
struct Shape {
  std::optional<std::uint32_t> layers;        ///< in the model, over all stages
  std::optional<std::uint32_t> microbatches;  ///< per step
};

/// The workload with the numbers in `shape`: lengthens or shortens loops of every rank
/// (resize_loops). `known`: the recorded numbers, which the user states if repetitions do not show
/// them. All stages gain or lose the same number of layers. Work that a step does once for all
/// layers (optimizer, gradient norm, gradient buckets) grows with the parameters if kernels show
/// their number, else with the layers. Messages lose their tags and match in order. Errc: usage for
/// impossible numbers; input_unsupported if nothing repeats, or not on all ranks, or if sends and
/// receives would not match; input_mismatch if a rank receives messages in another order than they
/// are sent; also those of resize_loops().
[[nodiscard]] Result<Workload> reshape(const Workload& workload, const Shape& shape,
                                       const Shape& known, Findings& findings);

/// Numbers of layers and microbatches that the repetitions show, for comparison with known numbers.
[[nodiscard]] Shape detect_shape(const Workload& workload);

}  // namespace orrery::graph
