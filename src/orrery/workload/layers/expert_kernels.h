// SPDX-License-Identifier: Apache-2.0
//
// Kernels around experts that frameworks launch in addition to their products, and how often hosts
// launch kernels.
#pragma once

#include <cstdint>
#include <utility>

#include "orrery/workload/layers/moe.h"
#include "orrery/workload/operators/scope.h"
#include "orrery/workload/operators/tape.h"

namespace orrery::workload {

/// Launches of the fused permutation that orders tokens by expert: three passes of Transformer
/// Engine's make_row_id_map, and the permutation (pytorch/triton/permutation.py).
namespace host_launches {
inline constexpr std::uint32_t permute = 4;
/// Of the permutation of chunks after an exchange: its map and itself (the same file).
inline constexpr std::uint32_t sort = 2;
}  // namespace host_launches

/// Products that the host launches for one grouped product: one for each expert with tokens. 0: one
/// (launches_per_expert).
[[nodiscard]] std::int64_t expert_launches(const Scope& scope, const MoeTokens& tokens);

/// The kernels that count the tokens of each expert, and the copies of the counts to the host,
/// which waits for them. Megatron-LM's preprocess() sums the routing map and, with an exchange, the
/// counts of all ranks four times and copies a part of them; it copies five tensors to the host
/// (core/transformer/moe/token_dispatcher.py, MoEAlltoAllTokenDispatcher).
[[nodiscard]] Op count_op(const Scope& scope, Amount tokens, bool exchange);

/// Bytes of a tensor and of its gradient.
struct BytesOf {
  Amount tensor, gradient;
};
/// Adds kernels that pad the copies of each expert for fp8, or remove the padding, forward and
/// backward: each reads and writes all copies of a rank (Transformer Engine,
/// pytorch/module/fp8_padding.py, fp8_unpadding.py). Nothing in other formats. Receivers of DeepEP
/// and HybridEP write padded copies. `names`: of both passes.
void add_padding(Tape& tape, const Scope& scope, const std::pair<const char*, const char*>& names,
                 Amount elements, const BytesOf& size);

/// Adds the kernels that clamp the gate and the linear part of gpt-oss' activation, which
/// Megatron-Core runs in PyTorch before its fused activation (core/fusions/fused_bias_geglu.py,
/// weighted_bias_quick_geglu_impl), and returns the clamped tensor. `elements`: of one of the two
/// parts. Forward: two clamps and one concatenation, then the offset of the linear part is copied
/// from the host, which waits for the copy. Bytes per element: 4, 4 and 8. Backward: a comparison
/// and a selection (3 + 5) for the gate, which has one limit, three comparisons and a selection
/// (3 + 3 + 3 + 5) for the other, and the concatenation of both (8).
[[nodiscard]] Tensor add_clamp(Tape& tape, const Scope& scope, Group group, Amount elements,
                               Tensor up);

}  // namespace orrery::workload
