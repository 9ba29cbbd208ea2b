// SPDX-License-Identifier: Apache-2.0
//
// The kernel options of a specification. framework.h has the defaults of each framework.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/quantity.h"
#include "orrery/workload/spec/framework.h"

namespace orrery::workload {

/// Implementation of fused attention (flash attention).
enum class AttentionKernels : std::uint8_t {
  newest,                  ///< optimized for the device: cuDNN, FlashAttention-3
  flash_attention_2,       ///< optimized for Ampere, on any device
  flash_attention_triton,  ///< the first Triton version, which supports ALiBi
};

/// Kernel options that change FLOPs, memory traffic, stored activations or launch times.
struct Kernels {
  bool flash_attention = true;  ///< no S×S matrix in memory; causal attention skips half of it
  std::optional<AttentionKernels> attention;  ///< empty: by `framework`, see attention_kernels
  bool fused = true;  ///< element-wise chains (norm + residual, bias + activation) are one kernel;
                      ///< used only without a framework
  Framework framework = Framework::none;
  std::string
      release;  ///< release of the framework, see model_parallel_policy.h; empty: the newest known
  std::optional<Time> launch;   ///< host time per kernel; empty: launch_times_of(framework)
  std::optional<bool> graphs;   ///< CUDA graphs; empty: see captures_graphs (launch_policy.h)
  std::optional<Loss> loss;     ///< default: by `framework`
  bool deterministic = false;   ///< results are bit-identical in every run
  std::optional<bool> grouped;  ///< one grouped product for all experts; empty: by `framework`
  std::optional<bool> fused_experts;    ///< see fuses_experts (model_parallel_policy.h)
  std::optional<bool> expert_launches;  ///< see launches_per_expert (launch_policy.h)
  std::optional<bool> expert_syncs;     ///< see reads_token_counts (launch_policy.h)
  std::optional<bool> sort_copies;      ///< see sorts_copies (model_parallel_policy.h)

  /// The given attention kernels, else the framework's default. PyTorch's
  /// scaled_dot_product_attention prefers FlashAttention-2 to cuDNN
  /// (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, releases 2.2 to 2.8 but 2.5.0).
  /// Megatron-Core leaves the choice to Transformer Engine, which uses cuDNN on Hopper and later
  /// GPUs (pytorch/attention/dot_product_attention/utils.py).
  [[nodiscard]] AttentionKernels attention_kernels() const {
    if (attention) return *attention;
    const bool of_nvidia = framework == Framework::none || framework == Framework::megatron;
    return of_nvidia ? AttentionKernels::newest : AttentionKernels::flash_attention_2;
  }
  [[nodiscard]] Loss loss_kernel() const { return loss.value_or(loss_of(framework)); }

  [[nodiscard]] Fusion fusion() const {
    Fusion all = fusion_of(framework, fused);
    all.grouped = grouped.value_or(all.grouped);
    return all;
  }

  static constexpr auto fields = std::tuple{
      config::field("flash_attention", &Kernels::flash_attention,
                    "attention does not store its scores, and skips masked tokens"),
      config::field("attention", &Kernels::attention,
                    "attention kernels: optimized for the device (cuDNN, FlashAttention-3), "
                    "FlashAttention-2, or the first Triton version")
          .by_default("by `framework`: `newest` without a framework and with megatron, else "
                      "`flash_attention_2`"),
      config::field("fused", &Kernels::fused,
                    "element-wise chains are one kernel; used if `framework` does not specify it"),
      config::field(
          "framework", &Kernels::framework,
          "the framework whose kernels are used: it determines which operators are fused"),
      config::field("release", &Kernels::release,
                    "release of the framework by year and month, such as `\"26.04\"` or "
                    "`\"26.04.01\"`: the tag of NVIDIA's NeMo container")
          .by_default("the newest known, `\"26.08\"`"),
      config::field("launch", &Kernels::launch,
                    "host time per kernel launch; a device with shorter kernels waits for the host",
                    config::between(0, 1e12))
          .by_default("by `framework`: 44 us forward, 38 us backward, 18 us in the "
                      "optimizer; none and torchtitan_compiled 0"),
      config::field("graphs", &Kernels::graphs,
                    "kernels are captured in CUDA graphs: no kernel waits for a host")
          .by_default("by `framework` and `release`: megatron since 26.06 with experts in MXFP8 "
                      "`true`, else `false`"),
      config::field("loss", &Kernels::loss,
                    "implementation of cross entropy: which copies of the logits are in memory")
          .by_default("by `framework`: pytorch, deepspeed, torchtitan `eager`, "
                      "torchtitan_compiled `compiled`, all others `megatron`"),
      config::field("deterministic", &Kernels::deterministic,
                    "deterministic kernels: workspaces are larger"),
      config::field(
          "grouped", &Kernels::grouped,
          "the matrix products of experts run as one grouped kernel, not one after another")
          .by_default("by `framework`: pytorch and deepspeed `false`"),
      config::field("fused_experts", &Kernels::fused_experts,
                    "the experts' products include their biases, activation and casts")
          .by_default("by `framework` and `release`: megatron since 26.06 with MXFP8 `true`, else "
                      "`false`"),
      config::field("expert_launches", &Kernels::expert_launches,
                    "the host launches the product and the casts of each expert separately, though "
                    "streams run them like one kernel")
          .by_default("by `framework`: megatron `true` unless `fused_experts`, else `false`"),
      config::field("expert_syncs", &Kernels::expert_syncs,
                    "the host waits in each layer for the number of tokens of each expert")
          .by_default("by `framework`: megatron, torchtitan and torchtitan_compiled `true` unless "
                      "`fused_experts` or `pad_to_capacity`, else `false`"),
      config::field("sort_copies", &Kernels::sort_copies,
                    "kernels sort the copies that a rank received by expert, if it has several, "
                    "and undo this before copies return; not with `deepep` and `hybridep`, whose "
                    "receivers make the copies")
          .by_default("by `framework` and `dispatcher`: megatron with `all_to_all` `true`, else "
                      "`false`")};
};

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::AttentionKernels> {
  static constexpr auto names = names_in_order<workload::AttentionKernels::flash_attention_triton>(
      "newest", "flash_attention_2", "flash_attention_triton");
};
}  // namespace orrery::config
