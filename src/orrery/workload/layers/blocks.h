// SPDX-License-Identifier: Apache-2.0
//
// What transformers are made of. Each takes a tape and tensors and puts its operators behind; the
// tensors between blocks are Scope::shard tokens of Model::hidden.
#pragma once

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// Which attention.
struct Attention {
  bool causal = true;
  std::int64_t window = 0;      ///< keys that a query sees; 0: all
  bool relative_table = false;  ///< holds T5's table of 32 buckets × heads
};

/// Self-attention with its two projections, up to the sum over tp; `x` is normed already.
Tensor attention(Tape& tape, const Scope& scope, const Attention& shape, Tensor x);

/// Attention of `x` to `source`, both normed: queries from `x`, keys and values from `source`,
/// whose tokens `source_scope` counts.
Tensor cross_attention(Tape& tape, const Scope& scope, const Scope& source_scope, Tensor x,
                       Tensor source);

/// The MLP of `inner` features, two matrices or three, up to the sum over tp; `x` is normed
/// already.
Tensor mlp(Tape& tape, const Scope& scope, std::int64_t inner, Tensor x);

/// The mixture of experts in its place (see moe.h): router, dispatch, experts, combine, shared
/// experts. `x` is normed; the result is complete (nothing left to sum over tp) and Scope::shard
/// tokens long.
Tensor moe(Tape& tape, const Scope& scope, Tensor x);

/// Halves of a layer: norm, branch, residual.
Tensor attention_layer(Tape& tape, const Scope& scope, const Attention& shape, Tensor x);
Tensor cross_layer(Tape& tape, const Scope& scope, const Scope& source_scope, Tensor x,
                   Tensor source);
Tensor mlp_layer(Tape& tape, const Scope& scope, bool experts, Tensor x);

/// A transformer layer: norm, attention, residual, norm, MLP or experts, residual, as the model
/// says.
struct Layer {
  Attention attention;
  bool experts = false;
};
Tensor transformer_layer(Tape& tape, const Scope& scope, const Layer& layer, Tensor x);

}  // namespace orrery::workload
