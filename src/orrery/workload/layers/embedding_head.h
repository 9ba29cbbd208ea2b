// SPDX-License-Identifier: Apache-2.0
//
// The first and last parts of a language model: from token numbers to activations, and from
// activations to the loss; and modules that predict further tokens.
#pragma once

#include "orrery/core/error.h"
#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// The embedding: table lookup, positions, token types, norm, dropout. The table's rows are split
/// over tp: every rank looks up its own rows, and the results are summed (all-reduce,
/// reduce-scatter with sp). With `source`, for an encoder-decoder: also the tokens of the source,
/// from the same table; the part returns both.
[[nodiscard]] Result<LoweredPart> lower_embedding(const Scope& scope, const Scope* source);

/// Looks up the rows of tokens, as in the embedding, without positions and norm.
Tensor embed_tokens(Tape& tape, const Scope& scope);

/// Logits of `x`, which is normalized, and their loss. The output matrix counts as `weights`.
void add_loss(Tape& tape, const Scope& scope, Tensor x, WeightKind weights);

/// The head: final norm, an encoder's transform and pooler, logits (rows of the table split over
/// tp), loss. Vocabulary-parallel cross entropy (Shoeybi et al., 2019, section 3) all-reduces the
/// largest logit, the logit of the right token and the sum of exponentials, 4 bytes per token each.
[[nodiscard]] Result<LoweredPart> lower_head(const Scope& scope);

// Multi-token prediction (DeepSeek-V3, arXiv 2412.19437, section 2.2), as in Megatron-Core
// (core/transformer/multi_token_prediction.py). In token_prediction.cc.

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
