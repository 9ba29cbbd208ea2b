// SPDX-License-Identifier: Apache-2.0
//
// Pieces of attention, for blocks that put them together in another way. See blocks.h.
#pragma once

#include <vector>

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// Heads on one tp rank: an equal share; heads fewer than ranks are there several times.
[[nodiscard]] std::int64_t heads_per_rank(const Scope& scope, std::int64_t heads);

/// What the first projection makes: queries, keys, values.
[[nodiscard]] std::vector<Linear::Output> qkv_outputs(const Scope& scope);

struct HeadTensors {
  Tensor q, k, v;
  std::int64_t element = 1;  ///< bytes; filled in by `attend`
};
/// Norms of heads, rotary positions, core: the context.
Tensor attend(Tape& tape, const Scope& scope, const Attention& shape, HeadTensors heads);

/// The output projection of a context of so many features on this rank.
Tensor project_out(Tape& tape, const Scope& scope, Amount features, Tensor context);

}  // namespace orrery::workload
