// SPDX-License-Identifier: Apache-2.0
//
// Pieces of the MLP, for blocks that put them together in another way. See blocks.h.
#pragma once

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// What the first matrix makes: `inner` features, twice as many when gated (gate and value).
[[nodiscard]] Linear::Output mlp_up_output(const Scope& scope, std::int64_t inner);

/// What stands between the matrices: `inner` features come out.
Tensor mlp_activation(Tape& tape, const Scope& scope, std::int64_t inner, Tensor up);

}  // namespace orrery::workload
