// SPDX-License-Identifier: Apache-2.0
//
// Parts of attention, for blocks that combine them differently. See blocks.h.
#pragma once

#include <vector>

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// Number of heads on one tp rank: an equal share. If there are fewer heads than ranks, several
/// ranks hold the same head.
[[nodiscard]] std::int64_t heads_per_rank(const Scope& scope, std::int64_t heads);

/// The outputs of the first projection: queries, keys, values.
[[nodiscard]] std::vector<Linear::Output> qkv_outputs(const Scope& scope);

struct HeadTensors {
  Tensor q, k, v;
  std::int64_t element = 1;  ///< bytes per element; set by `attend`
};
/// Norms of heads, rotary positions and attention core. Returns the context.
Tensor attend(Tape& tape, const Scope& scope, const Attention& shape, HeadTensors heads);

/// The output projection of a context of `features` features on this rank.
Tensor project_out(Tape& tape, const Scope& scope, Amount features, Tensor context);

}  // namespace orrery::workload
