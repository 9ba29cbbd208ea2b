// SPDX-License-Identifier: Apache-2.0
//
// A mixture of experts in place of a layer's MLP: router, dispatch, experts, combine.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/mesh.h"
#include "orrery/workload/program.h"
#include "orrery/workload/spec.h"

namespace orrery::workload {

/// What stands between a layer's norm and the residual addition, both of which are the layer's own.
///
/// Input and output are activations as they lie between blocks: t / tp tokens of `hidden` elements
/// with sequence parallelism, t tokens (the same on every tensor-parallel rank) without. `forward`
/// and `backward` begin behind stream::compute and end on it, like a LoweredPart's. Of the
/// recomputation, kind `ops` ("router", "experts") stands in `backward` already; kind `full` is the
/// layer's affair: it issues `forward` again (Phase::recompute) and drops `kept`.
struct MoeBlock {
  std::vector<Op> forward;
  std::vector<Op> backward;  ///< takes the gradient of the output, gives the input's
  std::vector<Kept> kept;    ///< the block's input too ("moe.input")
  std::vector<Kept> transient;
  Weights weights;  ///< without the norm's
};

/// Tokens and what becomes of them, on one rank for one microbatch.
struct MoeTokens {
  std::int64_t routed = 0;    ///< tokens whose experts this rank looks up and sends out
  std::int64_t sent = 0;      ///< copies it sends: routed × top_k, less what capacity drops
  std::int64_t arriving = 0;  ///< copies that reach this rank's experts
  std::int64_t computed = 0;  ///< … that its experts multiply (after padding, all of etp together)
  std::int64_t experts = 0;   ///< that this rank holds
};

/// The block for `tokens` tokens (t = micro × seq / cp) on a rank in `where`. Source: Shazeer et
/// al. 2017 (experts, capacity), Fedus et al. 2021 (capacity factor), DeepSeek-V3 section 2.1.2
/// (shared experts); FLOPs as in GShard: 2mnk per product.
[[nodiscard]] MoeBlock moe_block(const Spec& spec, const Mesh& mesh, const Position& where,
                                 std::int64_t tokens);

/// The token arithmetic behind it.
[[nodiscard]] MoeTokens moe_tokens(const Spec& spec, const Position& where, std::int64_t tokens);

}  // namespace orrery::workload
