// SPDX-License-Identifier: Apache-2.0
//
// The blocks of transformers. Each appends its operators to a tape. The tensors between blocks have
// Scope::shard tokens of Model::hidden features.
#pragma once

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// Kind of attention.
struct Attention {
  bool causal = true;
  std::int64_t window = 0;      ///< number of keys that a query attends to; 0: all
  bool relative_table = false;  ///< this layer holds T5's table of 32 buckets × heads
};

/// Self-attention with its two projections, including the sum over tp. `x` is already normalized.
Tensor attention(Tape& tape, const Scope& scope, const Attention& shape, Tensor x);

/// Attention of `x` to `source`, both already normalized: queries from `x`, keys and values from
/// `source`. `source_scope` has the token counts of `source`.
Tensor cross_attention(Tape& tape, const Scope& scope, const Scope& source_scope, Tensor x,
                       Tensor source);

/// An MLP of `inner` features, with two or three matrices, including the sum over tp. `x` is
/// already normalized.
Tensor mlp(Tape& tape, const Scope& scope, std::int64_t inner, Tensor x);

/// The mixture of experts, which replaces the MLP (see moe.h): router, dispatch, experts, combine,
/// shared experts. `x` is already normalized. The result needs no sum over tp and has Scope::shard
/// tokens.
Tensor moe(Tape& tape, const Scope& scope, Tensor x);

/// Halves of a layer: norm, branch, residual.
Tensor attention_layer(Tape& tape, const Scope& scope, const Attention& shape, Tensor x);
Tensor cross_attention_layer(Tape& tape, const Scope& scope, const Scope& source_scope, Tensor x,
                             Tensor source);
Tensor mlp_layer(Tape& tape, const Scope& scope, bool experts, Tensor x);

/// A transformer layer: norm, attention, residual, norm, MLP or experts, residual, with the options
/// of the model.
struct Layer {
  Attention attention;
  bool experts = false;
};
Tensor transformer_layer(Tape& tape, const Scope& scope, const Layer& layer, Tensor x);

}  // namespace orrery::workload
