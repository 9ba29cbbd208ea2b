// SPDX-License-Identifier: Apache-2.0
//
// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1) in training: keys and
// values are expanded from their latents.
#pragma once

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// FLOPs of the forward products for t tokens: 2t·[D·q + q·H(n + r)/tp + D(kv + r) + kv·H(n + v)/tp
/// + H·v·D/tp] plus the core. Every tp rank computes the same down projections: of all t tokens, or
/// with sp of its own t/tp. Their weights are replicated.
Tensor mla(Tape& tape, const Scope& scope, const Attention& shape, Tensor x);

}  // namespace orrery::workload
