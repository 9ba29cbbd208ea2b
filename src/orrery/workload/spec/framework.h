// SPDX-License-Identifier: Apache-2.0
//
// Which operators each framework fuses into one kernel. Fusion determines the number of
// memory-bound kernels and the bytes that they move.
#pragma once

#include <array>
#include <cstdint>

#include "orrery/config/field.h"
#include "orrery/graph/kernel.h"

namespace orrery::workload {

enum class Framework : std::uint8_t {
  none,                 ///< fusion by Kernels::fused
  pytorch,              ///< modules as in Hugging Face Transformers, eager
  torchtitan,           ///< torchtitan's models, eager
  torchtitan_compiled,  ///< torchtitan with torch.compile
  deepspeed,            ///< as `pytorch`, but gradients are copied into buckets
  megatron,             ///< Megatron-Core with Transformer Engine
  megatron_2021,        ///< Megatron-LM before these two, and Megatron-DeepSpeed, its fork
};

/// Implementations of cross entropy. The table has upper bounds of memory in bytes per logit of a
/// microbatch, in addition to the logits themselves (2 bytes each in bf16). "kept": from the
/// forward to the backward pass.
///
///                       kept  forward  backward
///   megatron               4        2         2   fp32 probabilities, over the fp32 copy
///   megatron_compiled      4        6         6   as megatron, and a second copy from the compiler
///   eager                  4        8         8   fp32 copy; gradients of both of its steps
///   compiled               2        0         2   the logits themselves; their gradient
///   in_place               0        2         2   the gradient is written over the logits
///
/// Sources: Megatron-LM, core/tensor_parallel/cross_entropy.py (in place except for the fp32 copy),
/// core/fusions/fused_cross_entropy.py (its note says that a compiled graph that also sums up makes
/// a fresh buffer of the logits' size); PyTorch, aten/src/ATen/native/LossNLL.cpp and SoftMax.cpp:
/// nll_loss and log_softmax, whose output is saved and whose gradients are both dense; Transformer
/// Engine, pytorch/cross_entropy.py and triton/cross_entropy.py (gradients over logits).
enum class Loss : std::uint8_t { megatron, megatron_compiled, eager, compiled, in_place };

[[nodiscard]] constexpr Loss loss_of(Framework framework) {
  switch (framework) {
    case Framework::deepspeed:
    case Framework::pytorch:
    case Framework::torchtitan:
      return Loss::eager;
    case Framework::torchtitan_compiled:
      return Loss::compiled;
    case Framework::none:
    case Framework::megatron:
    case Framework::megatron_2021:
      break;
  }
  return Loss::megatron;
}

/// Which operators a framework fuses, and how it computes and accumulates gradients.
struct Fusion {
  bool products = true;    ///< one product for queries, keys and values, one for gate and up
  bool norm = true;        ///< false: one kernel per operator, with fp32 intermediates
  bool activation = true;  ///< one kernel for the activation and its product with the gate
  bool rotary = true;
  bool chains = true;             ///< all operators over the same elements are one kernel, with the
                                  ///< norm that follows
  bool residuals = true;          ///< bias, dropout and residual sum of a branch are one kernel
  bool casts = true;              ///< casts to fp8 and fp4 are fused with the norm or activation
                                  ///< before them
  bool adds_gradients = true;     ///< products of weight gradients accumulate over microbatches
                                  ///< without another kernel
  bool grouped = true;            ///< one grouped product for all experts; false: one product per
                                  ///< expert
  bool bias_gradients = true;     ///< the products of weight gradients also sum the bias gradients
                                  ///< (cuBLASLt)
  bool copies_gradients = false;  ///< gradients are copied into one buffer before they are reduced
  bool adds_to_zeros = false;     ///< without sharding, the first microbatch's gradients are also
                                  ///< added to a zeroed buffer
  bool convolves_patches = true;  ///< images: patch embedding by convolution; false: by a matrix
                                  ///< product
};

/// Returns the fusion of a framework; `fused` applies to Framework::none only. Sources, the
/// frameworks' own modules:
/// - Hugging Face `modeling_llama.py` (LlamaRMSNorm, LlamaMLP, apply_rotary_pos_emb), torchtitan
///   `models/llama3/model.py`, Megatron-Core `core/transformer/transformer_layer.py` and
///   `core/fusions` (fused_bias_dropout.py), Transformer Engine
///   `pytorch/module/layernorm_linear.py`; DeepSpeed `runtime/zero/stage_1_and_2.py` (copies into
///   buckets)
/// - experts: Transformers `modeling_mixtral.py` (MixtralSparseMoeBlock) and DeepSpeed
///   `moe/experts.py` loop over them
/// - bias gradients: autograd runs a `sum` (a recorded layer of GPT-2 has four,
///   facebookresearch/param `hf_GPT2_et`); Transformer Engine computes `bgrad` in the product
/// - megatron_2021: `megatron/mpu/layers.py` (autograd's `linear`) and
///   `megatron/model/transformer.py` (bias_dropout_add_fused_train), also in Megatron-DeepSpeed
///   1619965d, and `megatron/model/distributed.py` (main_grad, a buffer of zeros)
/// - patches: Hugging Face `modeling_vit.py` (ViTPatchEmbeddings), timm's PatchEmbed (which DiT
///   uses) and Megatron-Core `core/models/vision/clip_vit_model.py` convolve; Megatron before it
///   (`legacy/model/vision/vit_backbone.py`) multiplies
[[nodiscard]] constexpr Fusion fusion_of(Framework framework, bool fused) {
  Fusion fusion;
  switch (framework) {
    case Framework::none:
      fusion.chains = fusion.residuals = fusion.casts = fusion.adds_gradients = fused;
      fusion.convolves_patches = false;
      break;
    case Framework::deepspeed:
    case Framework::pytorch:
    case Framework::torchtitan:
      fusion = {false, false, false, false, false, false, false, false};
      fusion.bias_gradients = false;
      fusion.grouped = framework == Framework::torchtitan;
      fusion.copies_gradients = framework == Framework::deepspeed;
      break;
    case Framework::torchtitan_compiled:
      fusion.products = fusion.adds_gradients = false;
      break;
    case Framework::megatron:
      fusion.chains = false;
      break;
    case Framework::megatron_2021:
      fusion.chains = fusion.adds_gradients = fusion.bias_gradients = false;
      fusion.convolves_patches = false;
      fusion.adds_to_zeros = true;
      break;
  }
  return fusion;
}

/// Host time per kernel launch in eager PyTorch: mean over launch-bound intervals of eight recorded
/// ranks (V100, DLRM, with a profiler that slows the hosts); benchmarks/launch_times.py and
/// docs/kernel-times.md. DeepSpeed, torchtitan and Megatron-Core launch kernels through the same
/// dispatcher. Compiled models have not been measured: their kernels never wait for the host here.
[[nodiscard]] constexpr graph::LaunchTimes launch_times_of(Framework framework) {
  switch (framework) {
    case Framework::none:
    case Framework::torchtitan_compiled:
      return {};
    case Framework::deepspeed:
    case Framework::megatron:
    case Framework::megatron_2021:
    case Framework::pytorch:
    case Framework::torchtitan:
      break;
  }
  constexpr std::int64_t kMicrosecond = 1'000'000;
  return {Time(44 * kMicrosecond), Time(38 * kMicrosecond), Time(18 * kMicrosecond)};
}

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::Loss> {
  static constexpr auto names = names_in_order<workload::Loss::in_place>(
      "megatron", "megatron_compiled", "eager", "compiled", "in_place");
};
template <>
struct EnumNames<workload::Framework> {
  static constexpr auto names = names_in_order<workload::Framework::megatron_2021>(
      "none", "pytorch", "torchtitan", "torchtitan_compiled", "deepspeed", "megatron",
      "megatron_2021");
};
}  // namespace orrery::config
