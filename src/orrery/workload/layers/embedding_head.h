// SPDX-License-Identifier: Apache-2.0
//
// Both ends of a language model: from token numbers to activations, and from those to the loss.
#pragma once

#include "orrery/core/error.h"
#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// The embedding: rows of the table (its rows cut over tp; every rank looks up what it has, and the
/// results are added up: all-reduce, reduce-scatter with sp), positions, token types, norm,
/// dropout. With `source`, for an encoder-decoder: the source's tokens, too, from the same table;
/// both go on.
[[nodiscard]] Result<LoweredPart> lower_embedding(const Scope& scope, const Scope* source);

/// The head: final norm, an encoder's transform and pooler, logits (rows of the table cut over tp),
/// loss. Vocabulary-parallel cross entropy (Shoeybi et al., 2019, section 3) all-reduces the
/// largest logit, the logit of the right token and the sum of exponentials, 4 bytes per token each.
[[nodiscard]] Result<LoweredPart> lower_head(const Scope& scope);

}  // namespace orrery::workload
