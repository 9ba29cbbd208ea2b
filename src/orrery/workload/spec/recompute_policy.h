// SPDX-License-Identifier: Apache-2.0
//
// What the backward pass recomputes: the words of Recompute::ops and the operators that they name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Operators that are recomputed together. Consecutive operators of one group are recomputed when
/// one of their outputs that was not saved is needed.
enum class Group : std::uint8_t {
  none,  ///< never recomputed, except by Recompute full
  norm,
  qkv,
  latent_up,  ///< latent attention: products that restore heads, and their rotary positions
  attention,
  out,
  mlp_up,
  activation,
  mlp_down,
  router,
  experts,
  expert_activation,
};

/// A word of Recompute::ops.
struct RecomputeWord {
  std::string_view name;
  std::uint32_t groups;  ///< bit i: Group i
};
/// The operators of Orrery, then Megatron-Core's modules (--recompute-modules; core/transformer/
/// transformer_config.py, recompute_modules).
[[nodiscard]] std::span<const RecomputeWord> recompute_words();
/// The groups of a word, as in RecomputeWord; 0: no such word.
[[nodiscard]] std::uint32_t groups_of(std::string_view word);

/// Whether the recomputation of a layer (RecomputeKind::full) stops when the backward pass has all
/// that it needs: the last product of the layer is then not repeated. Returns
/// `recompute.early_stop` if given. Default: true with PyTorch's checkpoints, which torchtitan
/// uses: "By default, non-reentrant checkpoint stops recomputation early" (torch.utils.checkpoint,
/// set_checkpoint_early_stop, since release 2.1); a compiler removes unused results, too. False
/// with Megatron-Core and DeepSpeed, whose own checkpoints run the entire layer again.
[[nodiscard]] bool stops_recompute_early(const Spec& spec);

}  // namespace orrery::workload
