// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/study/scale_down.h"

namespace orrery::study {

/// By graph and node: collectives of activations, which grow with the batch. Those of groups that
/// reduce or exchange tokens in layers (analysis::parallelism) are, in layers and where there are
/// as many as passes forward; what is less than 1 KiB is a norm or a flag.
[[nodiscard]] std::vector<std::vector<bool>> activation_collectives(
    const graph::Workload& workload);

/// `ranks`: of whom means are.
[[nodiscard]] ScaledSide side_of(const Outcome& outcome, const std::vector<std::uint32_t>& ranks);

/// What ranks that stay send, before and after. `axes`: of `was`, as in `choice`.
[[nodiscard]] std::vector<Carried> carried_by(const graph::Workload& was, const graph::Workload& is,
                                              const std::vector<analysis::RankAxis>& axes,
                                              const RankChoice& choice);

/// Some kept rank's graph has a reduction that leaves shards of 64 KiB and more along a data axis
/// that gets shorter: by how much shards grow. 1: none has.
[[nodiscard]] double shard_growth(const graph::Workload& was, const RankChoice& choice,
                                  const std::vector<analysis::RankAxis>& axes);

}  // namespace orrery::study
