// SPDX-License-Identifier: Apache-2.0
//
// Which operators a framework puts into one kernel. It decides how many kernels that only move
// memory there are, and how often they move it.
#pragma once

#include <array>
#include <cstdint>

#include "orrery/config/field.h"
#include "orrery/graph/kernel.h"

namespace orrery::workload {

enum class Framework : std::uint8_t {
  none,                 ///< as Kernels::fused says
  pytorch,              ///< modules as in Hugging Face Transformers, eager
  torchtitan,           ///< its models, eager
  torchtitan_compiled,  ///< … with torch.compile
  deepspeed,            ///< `pytorch` and the fused optimizer
  megatron,             ///< Megatron-Core with Transformer Engine
  megatron_2021,        ///< Megatron-LM before them, and Megatron-DeepSpeed, which began with it
};

/// How cross entropy treats logits. Beside the logits as they are made (2 bytes each in bf16), for
/// each logit of a microbatch in bytes, at most:
///
///                       kept  forward  backward
///   megatron               4        2         2   fp32 probabilities, over the fp32 copy
///   megatron_compiled      4        6         6   … and a second copy, which a compiler makes
///   eager                  4        8         8   fp32 copy; gradients of both of its steps
///   compiled               2        0         2   the logits themselves; their gradient
///   in_place               0        2         2   the gradient is written over the logits
///
/// Sources: Megatron-LM, core/tensor_parallel/cross_entropy.py (in place but for the fp32 copy),
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

/// What is one kernel, or one product.
struct Fusion {
  bool products = true;    ///< queries, keys, values in one product, and so gate and up
  bool norm = true;        ///< else a chain of one kernel per operator, in fp32 between
  bool activation = true;  ///< with the product of gate and up
  bool rotary = true;
  bool chains = true;             ///< whatever goes over the same elements, norms behind it, too
  bool residuals = true;          ///< a branch's bias and dropout and the sum with its residual
  bool casts = true;              ///< to fp8 and fp4, behind the norm or activation before them
  bool adds_gradients = true;     ///< products of weights' gradients add to those of earlier
                                  ///< microbatches by themselves
  bool grouped = true;            ///< products of experts; else one expert after another
  bool bias_gradients = true;     ///< summed up by products of weights' gradients (cuBLASLt)
  bool copies_gradients = false;  ///< each into one long buffer, from which they are reduced
  bool adds_to_zeros = false;     ///< adds the first microbatch's, too, where none are sharded
  bool convolves_patches = true;  ///< of pictures; else a product of each patch's pixels
};

/// From the frameworks' own modules: Hugging Face `modeling_llama.py` (LlamaRMSNorm, LlamaMLP,
/// apply_rotary_pos_emb), torchtitan `models/llama3/model.py`, Megatron-Core
/// `core/transformer/transformer_layer.py` and `core/fusions` (fused_bias_dropout.py), Transformer
/// Engine `pytorch/module/layernorm_linear.py`; DeepSpeed `runtime/zero/stage_1_and_2.py` (copies
/// into buckets); experts: Transformers `modeling_mixtral.py` (MixtralSparseMoeBlock) and DeepSpeed
/// `moe/experts.py` loop over them; gradients of biases: autograd's `sum` (a recorded layer of
/// GPT-2 has four, facebookresearch/param `hf_GPT2_et`), Transformer Engine's `bgrad` in the
/// product; Megatron before it: `megatron/mpu/layers.py` (autograd's `linear`) and
/// `megatron/model/transformer.py` (bias_dropout_add_fused_train), as Megatron-DeepSpeed has them
/// still at 1619965d, and `megatron/model/distributed.py` (main_grad, a buffer of zeros); patches:
/// Hugging Face `modeling_vit.py` (ViTPatchEmbeddings), timm's PatchEmbed, which DiT takes, and
/// Megatron-Core `core/models/vision/clip_vit_model.py` convolve, Megatron before it
/// (`legacy/model/vision/vit_backbone.py`) multiplies. `fused` is what `none` stands for.
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

/// What a host takes to launch one kernel in eager PyTorch: means of launch-bound stretches of
/// eight recorded ranks (V100, DLRM, with a profiler that makes hosts slower), benchmarks/
/// launch_times.py and docs/kernel-times.md. DeepSpeed, torchtitan and Megatron-Core launch through
/// the same dispatcher; compiled models have not been measured, and wait for no host here.
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
  static constexpr std::array names = {
      EnumName<workload::Loss>{"megatron", workload::Loss::megatron},
      EnumName<workload::Loss>{"megatron_compiled", workload::Loss::megatron_compiled},
      EnumName<workload::Loss>{"eager", workload::Loss::eager},
      EnumName<workload::Loss>{"compiled", workload::Loss::compiled},
      EnumName<workload::Loss>{"in_place", workload::Loss::in_place}};
};
template <>
struct EnumNames<workload::Framework> {
  static constexpr std::array names = {
      EnumName<workload::Framework>{"none", workload::Framework::none},
      EnumName<workload::Framework>{"pytorch", workload::Framework::pytorch},
      EnumName<workload::Framework>{"torchtitan", workload::Framework::torchtitan},
      EnumName<workload::Framework>{"torchtitan_compiled",
                                    workload::Framework::torchtitan_compiled},
      EnumName<workload::Framework>{"deepspeed", workload::Framework::deepspeed},
      EnumName<workload::Framework>{"megatron", workload::Framework::megatron},
      EnumName<workload::Framework>{"megatron_2021", workload::Framework::megatron_2021}};
};
}  // namespace orrery::config
