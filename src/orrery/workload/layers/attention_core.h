// SPDX-License-Identifier: Apache-2.0
//
// The attention core: what happens between queries, keys, values and the context, without weights.
//
// FLOPs of the two products: 2 × (size of keys + size of values) for every head and every pair of a
// query and a key that it sees. Materialised attention computes all pairs; flash attention (Dao et
// al., 2022) only what the mask leaves: half of S × S when causal (a token's own pair counts half),
// S·w − w²/2 with a window of w tokens. Its backward pass computes the scores again: 5 products for
// 2, of which one is repeated.
#pragma once

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// One rank's share of the core; tokens and lengths are those before context parallelism.
struct CoreShape {
  std::int64_t heads = 1;     ///< of queries, on this tp rank
  std::int64_t kv_heads = 1;  ///< … of keys and values
  std::int64_t key_dim = 1;
  std::int64_t value_dim = 1;
  std::int64_t queries = 1;  ///< tokens of a sequence
  std::int64_t keys = 1;     ///< tokens that could be seen
  bool causal = true;
  std::int64_t window = 0;
  bool biased = false;  ///< something is added to the scores (ALiBi, T5)
};

/// FLOPs of the core's two products in the forward pass, on this rank (÷ cp).
[[nodiscard]] Amount core_flops(const Scope& scope, const CoreShape& core);

/// The context of queries `q`, keys `k`, values `v`, with context parallelism as the specification
/// says:
/// - all_gather: keys and values of everybody first (Llama 3 report, section 3.3.2), a
///   reduce-scatter of their gradients last; what was gathered is kept;
/// - ring: keys and values go round in cp − 1 hops while blocks are computed (Liu et al., 2023).
/// The
///   backward pass starts with what it holds and goes the other way round, so that keys and values
///   come home last together with their gradients: cp − 1 hops each. With the zig-zag order every
///   block of every rank is equally large;
/// - ulysses: all-to-all of queries, keys, values, and back of the context (Jacobs et al., 2023).
Tensor attention_core(Tape& tape, const Scope& scope, const CoreShape& core, Tensor q, Tensor k,
                      Tensor v);

}  // namespace orrery::workload
