// SPDX-License-Identifier: Apache-2.0
//
// The attention core: from queries, keys and values to the context, without weights.
//
// FLOPs of the two products: 2 × (size of keys + size of values) for every head and every pair of a
// query and a key that it attends to. Materialized attention computes all pairs. Flash attention
// (Dao et al., 2022) computes only the unmasked ones: half of S × S when causal (a token's pair
// with itself counts half), S·w − w²/2 with a window of w tokens. Its backward pass recomputes the
// scores: 5 products instead of 2 forward, one of which is repeated work.
#pragma once

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// The attention core on one tp rank. Token counts are those before context parallelism.
struct CoreShape {
  std::int64_t heads = 1;     ///< query heads on this tp rank
  std::int64_t kv_heads = 1;  ///< key and value heads on this tp rank
  std::int64_t key_dim = 1;
  std::int64_t value_dim = 1;
  std::int64_t queries = 1;  ///< query tokens per sequence
  std::int64_t keys = 1;     ///< key tokens per sequence, before the mask
  bool causal = true;
  std::int64_t window = 0;
  bool biased = false;  ///< a bias is added to the scores (ALiBi, T5)
};

/// FLOPs of the core's two products in the forward pass, on this rank (÷ cp).
[[nodiscard]] Amount core_flops(const Scope& scope, const CoreShape& core);

/// Returns the context of queries `q`, keys `k` and values `v`, with the context parallelism of the
/// specification:
/// - all_gather: an all-gather of all keys and values first (Llama 3 report, section 3.3.2), a
///   reduce-scatter of their gradients last; the gathered keys and values are retained;
/// - ring: keys and values move along the ring in cp − 1 hops while blocks are computed (Liu et
///   al., 2023). The backward pass starts with the blocks that it holds and moves in the other
///   direction, so that keys and values arrive at their owner last, with their gradients: cp − 1
///   hops each. With the zig-zag order all blocks of all ranks have equal size;
/// - ulysses: all-to-all of queries, keys, values, and back of the context (Jacobs et al., 2023).
Tensor attention_core(Tape& tape, const Scope& scope, const CoreShape& core, Tensor q, Tensor k,
                      Tensor v);

}  // namespace orrery::workload
