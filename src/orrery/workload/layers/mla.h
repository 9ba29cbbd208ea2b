// SPDX-License-Identifier: Apache-2.0
//
// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1), as it is trained: keys
// and values are expanded from their latents.
#pragma once

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// Forward products, t tokens: 2t·[D·q + q·H(n + r)/tp + D(kv + r) + kv·H(n + v)/tp + H·v·D/tp] and
/// the core. The projections down are the same on every tp rank: of all t tokens, of its own t/tp
/// with sp. Their weights are replicated.
Tensor mla(Tape& tape, const Scope& scope, const Attention& shape, Tensor x);

}  // namespace orrery::workload
