// SPDX-License-Identifier: Apache-2.0
//
// Kernels, as a specification says it; what a framework decides where nobody says is in
// framework.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/quantity.h"
#include "orrery/workload/spec/framework.h"

namespace orrery::workload {

/// Whose attention it is, where one kernel does it all (flash attention).
enum class AttentionKernels : std::uint8_t {
  newest,                  ///< made for the device: cuDNN's, FlashAttention-3
  flash_attention_2,       ///< made for Ampere, on whatever device
  flash_attention_triton,  ///< its first version in Triton, which knows ALiBi
};

/// Kernels that change what is computed and kept.
struct Kernels {
  bool flash_attention = true;  ///< no S×S matrix in memory; causal attention skips half of it
  std::optional<AttentionKernels> attention;  ///< empty: the framework's (attention_of)
  bool fused = true;  ///< element-wise chains (norm + residual, bias + activation) are one kernel;
                      ///< without a framework
  Framework framework = Framework::none;
  std::optional<Time> launch;   ///< of one kernel, by the host
  bool graphs = false;          ///< the device launches them
  std::optional<Loss> loss;     ///< by `framework` where nobody says
  bool deterministic = false;   ///< every run gives the same bits
  std::optional<bool> grouped;  ///< products of experts are one; by `framework` if nobody says

  /// PyTorch's scaled_dot_product_attention takes FlashAttention-2 before cuDNN's kernels
  /// (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, releases 2.2 to 2.8 but 2.5.0);
  /// Megatron-Core leaves the choice to Transformer Engine, which has cuDNN's on Hopper and after
  /// (pytorch/attention/dot_product_attention/utils.py).
  [[nodiscard]] AttentionKernels attention_of() const {
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
  [[nodiscard]] graph::LaunchTimes launch_times() const {
    if (graphs) return {};
    return launch ? graph::LaunchTimes{*launch, *launch, *launch} : launch_times_of(framework);
  }

  static constexpr auto fields =
      std::tuple{config::field("flash_attention", &Kernels::flash_attention,
                               "attention never stores its scores, and skips what is masked"),
                 config::field("attention", &Kernels::attention,
                               "whose kernels attention has: made for the device (cuDNN, "
                               "FlashAttention-3), FlashAttention-2, or the first in Triton")
                     .by_default("by `framework`: `newest` without one and with megatron, else "
                                 "`flash_attention_2`"),
                 config::field("fused", &Kernels::fused,
                               "element-wise chains are one kernel; where no `framework` says"),
                 config::field("framework", &Kernels::framework,
                               "whose kernels: which operators are one, which are many"),
                 config::field("launch", &Kernels::launch,
                               "how long a host takes to launch one; a device whose kernels are "
                               "shorter waits for it",
                               config::between(0, 1e12))
                     .by_default("by `framework`: 44 us forward, 38 us backward, 18 us in the "
                                 "optimizer; none and torchtitan_compiled 0"),
                 config::field("graphs", &Kernels::graphs,
                               "kernels are captured in CUDA graphs: none waits for a host"),
                 config::field("loss", &Kernels::loss,
                               "how cross entropy treats logits: what lies in memory beside them")
                     .by_default("by `framework`: pytorch, deepspeed, torchtitan `eager`, "
                                 "torchtitan_compiled `compiled`, all others `megatron`"),
                 config::field("deterministic", &Kernels::deterministic,
                               "every run gives the same bits: workspaces are larger"),
                 config::field("grouped", &Kernels::grouped,
                               "products of experts are one kernel, not one after another")
                     .by_default("by `framework`: pytorch and deepspeed `false`")};
};

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::AttentionKernels> {
  static constexpr std::array names = {
      EnumName<workload::AttentionKernels>{"newest", workload::AttentionKernels::newest},
      EnumName<workload::AttentionKernels>{"flash_attention_2",
                                           workload::AttentionKernels::flash_attention_2},
      EnumName<workload::AttentionKernels>{"flash_attention_triton",
                                           workload::AttentionKernels::flash_attention_triton}};
};
}  // namespace orrery::config
