// SPDX-License-Identifier: Apache-2.0
//
// Parts of the MLP, for blocks that combine them differently. See blocks.h.
#pragma once

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// The output of the first matrix: `inner` features, twice as many when gated (gate and value).
[[nodiscard]] Linear::Output mlp_up_output(const Scope& scope, std::int64_t inner);

/// The activation between the matrices; returns `inner` features.
Tensor mlp_activation(Tape& tape, const Scope& scope, std::int64_t inner, Tensor up);

}  // namespace orrery::workload
