// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "orrery/graph/reshape/reshape.h"
#include "orrery/study/scale_down/scale_down.h"

namespace orrery::study {

/// By graph and node: collectives of activations, which grow with the batch. Those of groups that
/// reduce or exchange tokens in layers (analysis::parallelism) are, in layers and where there are
/// as many as passes forward; what is less than 1 KiB is a norm or a flag.
[[nodiscard]] std::vector<std::vector<bool>> activation_collectives(
    const graph::Workload& workload);

/// `ranks`: of whom means are.
[[nodiscard]] ScaledSide summarize_side(const Outcome& outcome,
                                        const std::vector<std::uint32_t>& ranks);

/// What ranks that stay send, before and after. `axes`: of `original`, as in `choice`.
[[nodiscard]] std::vector<AxisTraffic> axis_traffic(const graph::Workload& original,
                                                    const graph::Workload& scaled,
                                                    const std::vector<analysis::RankAxis>& axes,
                                                    const RankChoice& choice);

/// Some kept rank's graph has a reduction that leaves shards of 64 KiB and more along a data axis
/// that gets shorter: by how much shards grow. 1: none has.
[[nodiscard]] double shard_growth(const graph::Workload& original, const RankChoice& choice,
                                  const std::vector<analysis::RankAxis>& axes);

/// The step of a job with so many layers and microbatches, in picoseconds; empty: it cannot be.
using StepOf = std::function<std::optional<double>(const graph::Shape&)>;

/// The step with all that was `found`, on straight lines through that of what is `asked` (`step`)
/// and those of a second number of layers (twice as many; where that is not between the two, one
/// more on each stage), of microbatches, and of both. Empty where neither is fewer than found, no
/// number is between, or a step cannot be.
[[nodiscard]] std::optional<double> extrapolate_by_sizes(const graph::Shape& asked,
                                                         const graph::Shape& found,
                                                         std::uint32_t stages, double step,
                                                         const StepOf& step_of);

}  // namespace orrery::study
