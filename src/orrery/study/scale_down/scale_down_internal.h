// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "orrery/graph/reshape/reshape.h"
#include "orrery/study/scale_down/scale_down.h"

namespace orrery::study {

/// Collectives of activations, which grow with the batch, by graph and node. These are collectives
/// of tensor and expert groups (analysis::parallelism) inside layers, and outside layers those that
/// occur at least once per forward pass. Sizes below 1 KiB are excluded: norms and flags.
[[nodiscard]] std::vector<std::vector<bool>> activation_collectives(
    const graph::Workload& workload);

/// Summarizes a simulation. Means are over `ranks`.
[[nodiscard]] ScaledSide summarize_side(const Outcome& outcome,
                                        const std::vector<std::uint32_t>& ranks);

/// Traffic of the remaining ranks, before and after. `axes`: of `original`, in the order of
/// `choice`.
[[nodiscard]] std::vector<AxisTraffic> axis_traffic(const graph::Workload& original,
                                                    const graph::Workload& scaled,
                                                    const std::vector<analysis::RankAxis>& axes,
                                                    const RankChoice& choice);

/// Factor by which shards grow. Counts each shortened data axis along which a remaining rank
/// reduces and scatters buffers of at least 64 KiB. 1: none does.
[[nodiscard]] double shard_growth(const graph::Workload& original, const RankChoice& choice,
                                  const std::vector<analysis::RankAxis>& axes);

/// Step time of a job with these layers and microbatches, in picoseconds; empty: not possible.
using StepOf = std::function<std::optional<double>(const graph::Shape&)>;

/// Extrapolates the step time to the layers and microbatches `found`, linearly in each, from `step`
/// at `asked` and from steps at a second number of layers, of microbatches, and of both. The second
/// number is twice the asked one; if that is not below `found`, one more (layers: one more per
/// stage). Empty if neither is fewer than found, no number lies between, or a step is not possible.
[[nodiscard]] std::optional<double> extrapolate_by_sizes(const graph::Shape& asked,
                                                         const graph::Shape& found,
                                                         std::uint32_t stages, double step,
                                                         const StepOf& step_of);

}  // namespace orrery::study
