// SPDX-License-Identifier: Apache-2.0
//
// Multi-token prediction (DeepSeek-V3, arXiv 2412.19437, section 2.2), as in Megatron-Core
// (core/transformer/multi_token_prediction.py).
#pragma once

#include "orrery/core/error.h"
#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

/// A prediction module without its head: embeds the next tokens, normalizes them and the
/// activations of the module before it, projects both from 2 × hidden to hidden, and runs a layer.
/// `first`: with several stages, it holds a copy of the embedding table unless the head has it. The
/// activations of the last layer pass through it to the model's head. Its part is not a layer, so
/// that it is on the stage of the head.
[[nodiscard]] Result<LoweredPart> lower_prediction_layer(const Scope& scope, const Layer& layer,
                                                         bool first);

/// Its norm, logits (with the model's output matrix) and loss.
[[nodiscard]] Result<LoweredPart> lower_prediction_head(const Scope& scope);

}  // namespace orrery::workload
