// SPDX-License-Identifier: Apache-2.0
//
// How tensor parallelism communicates, and how experts run: as the job specifies, else as its
// framework and its release do.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// How tensor-parallel communication overlaps matrix products. None without sp, with tp 1, with
/// compat stage, or if Schedule::overlap is false. Defaults if the job does not specify it:
///
///   none, megatron   pipelined: NeMo's and Megatron-Bridge's recipes of dense models with tp > 1
///                    set tp_comm_overlap, with ring exchange before products and pipelines of four
///                    splits after them (Megatron-Bridge, training/comm_overlap.py,
///                    userbuffers_bf16_h100_h8192_tp4_mbs1_seqlen8192; Transformer Engine,
///                    common/comm_gemm_overlap). Megatron-LM's own default is off:
///                    --tp-comm-overlap
///   others           none
[[nodiscard]] TensorOverlap tensor_overlap(const Spec& spec);

/// Number of pieces of a product: `gathered_pieces` of one after a gather, `reduced_pieces` of one
/// before a reduction.
[[nodiscard]] std::int64_t gathered_pieces(const Spec& spec);
[[nodiscard]] std::int64_t reduced_pieces(const Spec& spec);

/// Whether each rank of tp sends only its share of the activations to the next stage, whose ranks
/// gather them. Never with sp, where each rank has only a share. Default: true for Megatron-LM
/// (Narayanan et al., SC21, section 4.1; --no-scatter-gather-tensors-in-pipeline disables it),
/// false for other frameworks.
[[nodiscard]] bool scatters_sends(const Spec& spec);

/// Whether the tp reduction of a product's input gradient overlaps the computation of its weight
/// gradient. Megatron-Core starts the reduction between the two (core/tensor_parallel/layers.py,
/// LinearWithGradAccumulationAndAsyncCommunication). Elsewhere one autograd node computes both
/// gradients (PyTorch, tools/autograd/derivatives.yaml: linear, mm, addmm) before the next one
/// reduces: Megatron-LM of 2021, mpu/mappings.py; PyTorch, distributed/tensor.
[[nodiscard]] bool overlaps_weight_gradients(const Spec& spec);

/// A release by year, month and patch, as the tags of NVIDIA's NeMo containers: "26.04.01".
struct Release {
  std::int32_t year = 0, month = 0, patch = 0;

  friend auto operator<=>(const Release&, const Release&) = default;
};
/// Empty: not two or three numbers of two digits, separated by dots, with a month from 1 to 12.
[[nodiscard]] std::optional<Release> parse_release(std::string_view text);

/// The newest release whose configurations are known.
inline constexpr Release kNewestRelease{26, 8, 0};
/// The release of the job (Kernels::release); the newest if it states none.
[[nodiscard]] Release release_of(const Spec& spec);

/// A default of Parallel::dispatcher: on devices whose name starts with `device`, since `since`.
struct DispatcherDefault {
  std::string_view device;
  Release since;
  Dispatcher within;   ///< if the ranks of ep share an NVLink domain
  Dispatcher between;  ///< if they do not
};

/// The defaults with megatron; the first row that applies. Source: Megatron-Bridge,
/// scripts/performance/configs (moe_flex_dispatcher_backend of DeepSeek-V3, Qwen3 and Kimi K2;
/// recipes of 26.08). Its DeepEP on B200 and B300 is for islands that exchange tokens (DeepSeek-V3
/// with ep 32); on GB200 and GB300 it refuses DeepEP
/// (src/megatron/bridge/training/flex_dispatcher_backend.py). Configurations of one model differ
/// (docs/reference/workload.md), and Megatron-LM's own default is all_to_all.
inline constexpr std::array kDispatcherDefaults = {
    DispatcherDefault{"gb", {26, 2, 0}, Dispatcher::hybridep, Dispatcher::hybridep},
    DispatcherDefault{"b300", {26, 4, 0}, Dispatcher::hybridep, Dispatcher::hybridep},
    DispatcherDefault{"b200", {26, 4, 0}, Dispatcher::hybridep, Dispatcher::deepep},
    DispatcherDefault{"h100", {26, 2, 0}, Dispatcher::all_to_all, Dispatcher::hybridep},
};
/// The dispatcher of the job: as specified, else the default of its framework, release and machine
/// (Spec::machine); all_to_all if none applies.
[[nodiscard]] Dispatcher dispatcher_of(const Spec& spec);
/// Whether the dispatcher sends a token once to each rank with one of its experts, so that the
/// receiver copies it: DeepEP's normal kernels and HybridEP's.
[[nodiscard]] bool sends_tokens_once(const Spec& spec);

/// Whether kernels sort the copies that a rank receives by expert, and undo this before copies
/// return (Kernels::sort_copies). Default: with megatron and all_to_all, if a rank has several
/// experts: copies arrive in the order of the sending ranks. Source: Megatron-Core,
/// core/transformer/moe/token_dispatcher.py (MoEAlltoAllTokenDispatcher, sort_chunks_by_idxs).
[[nodiscard]] bool sorts_copies(const Spec& spec);

/// Whether a job may run passes together: experts on several ranks that exchange tokens, weights
/// that stay on their ranks between passes, and schedules that alternate forward and backward
/// passes of different microbatches on every stage: 1F1B on one stage, interleaved. Megatron-Core
/// requires the same (core/transformer/transformer_config.py, overlap_moe_expert_parallel_comm).
[[nodiscard]] bool can_overlap_experts(const Spec& spec);

/// Whether the forward pass of one microbatch runs together with the backward pass of another, so
/// that the computation of each hides the token exchange of the other (Parallel::overlap_experts).
/// Default: with megatron since release 26.06 and MXFP8, where the job allows it. Source:
/// Megatron-Bridge's configurations for performance, 26.08 (comm_overlap:
/// overlap_moe_expert_parallel_comm, set for MXFP8 with experts; not for 16 bits, except on some
/// devices). The first release with times that need it is 26.06 (data/measured).
[[nodiscard]] bool overlaps_experts(const Spec& spec);

/// Whether one kernel computes the experts' first product, their activation, its product with the
/// probabilities and the casts of the result, and one the same in the backward pass; products add
/// the biases (Kernels::fused_experts). Default: with megatron since release 26.06 and MXFP8, for
/// SwiGLU (clamped or not) that tp does not split, with sizes that are multiples of 64. Source:
/// Transformer Engine, pytorch/ops/_common.py (validate_grouped_mlp_dims, fuse_grouped_mlp_ops);
/// Megatron-LM, core/transformer/moe/experts.py (TEGroupedMLP._is_fused_impl_supported);
/// Megatron-Bridge's configurations, 26.08 (use_transformer_engine_op_fuser). By default not with
/// biases: the kernel supports them, but the configurations of gpt-oss use it on GB200 and GB300
/// only, not on B200 and B300. In 26.06.01 its steps last 1.6 times as long as in 26.06 and 26.08:
/// a correction of the biases' scale excludes them from the kernel until Transformer Engine
/// supports it (Megatron-LM, commit e4ea85970b26).
[[nodiscard]] bool fuses_experts(const Spec& spec);
/// The default of fuses_experts.
[[nodiscard]] bool supports_fused_experts(const Spec& spec);

/// Whether attention's kernels multiply fp8 numbers: queries, keys and values, and the gradient of
/// the context, are cast before them. Default: with megatron since release 26.06, MXFP8 and
/// experts, without latent attention. Source: Megatron-Bridge's configurations, 26.08
/// (fp8_dot_product_attention: set for MXFP8 with experts; for latent attention on some devices),
/// and its pull requests 4249 (Qwen3, for 26.06) and 4606.
[[nodiscard]] bool attends_in_8_bits(const Spec& spec);

}  // namespace orrery::workload
