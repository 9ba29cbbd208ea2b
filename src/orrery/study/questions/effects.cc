// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/text/suggest.h"
#include "orrery/workload/spec/launch_policy.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::study {

namespace {

using platform::Platform;
using workload::Spec;

Result<void> no_launch(Spec& spec) {
  if (!workload::captures_graphs(spec)) spec.kernels.launch = Time{};
  return {};
}

Result<void> no_gradient_overlap(Spec& spec) {
  spec.parallel.overlap_gradients = false;
  return {};
}

Result<void> no_weight_overlap(Spec& spec) {
  spec.parallel.overlap_weights = false;
  return {};
}

Result<void> no_portable_attention(Spec& spec) {
  spec.kernels.attention = workload::AttentionKernels::newest;
  return {};
}

Result<void> no_tensor_overlap(Spec& spec) {
  if (spec.parallel.sp) spec.parallel.tp_overlap = workload::TensorOverlap::none;
  return {};
}

/// Reduces gradients in every backward pass, and gathers weights in every pass.
Result<void> no_accumulation(Spec& spec) {
  spec.parallel.reduce_once = false;
  spec.parallel.keep_gathered = false;
  return {};
}

Result<void> no_prefetch(Spec& spec) {
  spec.parallel.prefetch = 0;
  spec.parallel.prefetch_backward.reset();
  return {};
}

Result<void> no_send_overlap(Spec& spec) {
  if (spec.parallel.pp > 1) spec.schedule.blocking_sends = true;
  return {};
}

Result<void> no_scattered_sends(Spec& spec) {
  spec.schedule.scatter_sends = false;
  return {};
}

Result<void> no_early_stop(Spec& spec) {
  spec.recompute.early_stop = false;
  return {};
}

Result<void> no_gradient_norm(Spec& spec) {
  spec.optimizer.gradient_norm = false;
  return {};
}

Result<void> no_imbalance(Spec& spec) {
  if (spec.model.moe) spec.model.moe->imbalance = 1;
  return {};
}

Result<void> no_expert_overlap(Spec& spec) {
  if (spec.model.moe) spec.parallel.overlap_experts = false;
  return {};
}

Result<void> no_dispatcher(Spec& spec) {
  if (spec.model.moe) spec.parallel.dispatcher = workload::Dispatcher::all_to_all;
  return {};
}

Result<void> no_sorted_copies(Spec& spec) {
  if (spec.model.moe) spec.kernels.sort_copies = false;
  return {};
}

Result<void> no_fused_experts(Spec& spec) {
  if (spec.model.moe) spec.kernels.fused_experts = false;
  return {};
}

Result<void> no_narrow_attention(Spec& spec) {
  if (spec.precision.attention || attends_in_8_bits(spec))
    spec.precision.attention = spec.precision.activations;
  return {};
}

Result<void> no_expert_biases(Spec& spec) {
  if (spec.model.moe) spec.model.moe->expert_bias = false;
  return {};
}

Result<void> no_expert_launches(Spec& spec) {
  if (spec.model.moe) spec.kernels.expert_launches = false;
  return {};
}

Result<void> no_expert_syncs(Spec& spec) {
  if (spec.model.moe) spec.kernels.expert_syncs = false;
  return {};
}

Result<void> no_clamp(Spec& spec) {
  if (spec.model.moe) spec.model.moe->clamp = false;
  return {};
}

Result<void> no_graphs(Spec& spec) {
  if (!spec.kernels.launch) spec.kernels.graphs = false;
  return {};
}

void no_gaps(Platform& platform) { platform.device.in_step.gap = Time{}; }
void no_factors(Platform& platform) { platform.device.in_step.factors.clear(); }
void no_power_limit(Platform& platform) { platform.device.power_limit_w = 0; }
void no_interference(Platform& platform) {
  platform.device.in_step.overlap = platform::StepEffects::OverlapSlowdown{1, 1};
}

constexpr std::array kEffects = {
    Effect{"gaps", "device.in_step.gap", "0", "gap between queued kernels",
           "recorded steps of V100, A100 and H100 (docs/kernel-times.md)", nullptr, no_gaps},
    Effect{"in_step_factors", "device.in_step.factors", "none",
           "slowdown of matrix products in a step compared with alone",
           "the catalog, fitted to published steps of the device (docs/scoreboard.md)", nullptr,
           no_factors},
    Effect{"power_limit", "device.power_limit_w", "the power of the board",
           "lower clock of matrix products under a power limit of the device",
           "energy of operations and bytes (model/power/sustained_clock.h), fitted to products of "
           "other devices",
           nullptr, no_power_limit},
    Effect{"overlapping_collectives", "device.in_step.overlapping_collectives", "1",
           "slowdown of kernels that overlap collectives",
           "SMs and memory traffic of collectives (docs/kernel-times.md)", nullptr,
           no_interference},
    Effect{"launch", "kernels.launch", "0",
           "launch time of kernels on the host, which delays short kernels",
           "recorded steps, by framework (docs/kernel-times.md)", no_launch, nullptr},
    Effect{"portable_attention", "kernels.attention", "newest",
           "FlashAttention-2 does not use the features of Hopper",
           "the framework; FlashAttention-3, figures 5 and 6 (model/compute/portable_kernels.h)",
           no_portable_attention, nullptr},
    Effect{"tp_overlap", "parallel.tp_overlap", "none",
           "sp: matrix products in pieces that overlap the gather before and the reduction after",
           "Transformer Engine's userbuffers, as NeMo's recipes set them "
           "(workload/spec/model_parallel_policy.h)",
           no_tensor_overlap, nullptr},
    Effect{"gradient_overlap", "parallel.overlap_gradients", "false",
           "gradient reduction overlaps the last backward pass",
           "the job; Megatron-LM's --overlap-grad-reduce, PyTorch DDP's and FSDP's default",
           no_gradient_overlap, nullptr},
    Effect{"weight_overlap", "parallel.overlap_weights", "false",
           "zero1, zero2: the gather of new weights overlaps the first forward passes of the next "
           "step",
           "the framework (workload/spec/data_parallel_policy.h): Megatron with overlap, as NeMo "
           "sets it",
           no_weight_overlap, nullptr},
    Effect{"once_a_step", "parallel.reduce_once, parallel.keep_gathered", "false",
           "zero3: gradients are reduced and weights gathered once per step, not per microbatch",
           "the framework (workload/spec/data_parallel_policy.h): torchtitan with stages",
           no_accumulation, nullptr},
    Effect{"prefetch", "parallel.prefetch", "0",
           "zero3: the weights of the next layer are prefetched",
           "FSDP's implicit prefetch of one (PyTorch, fully_shard)", no_prefetch, nullptr},
    Effect{"send_overlap", "schedule.blocking_sends", "true",
           "a stage continues while its messages are in transit", "the job", no_send_overlap,
           nullptr},
    Effect{"scattered_sends", "schedule.scatter_sends", "false",
           "without sp: each tp rank sends its share to the next stage, which gathers the shares",
           "the framework: Megatron-LM's default (Narayanan et al., SC21, section 4.1)",
           no_scattered_sends, nullptr},
    Effect{"early_stop", "recompute.early_stop", "false",
           "a layer is recomputed only as far as its backward pass needs",
           "the framework: PyTorch's checkpoints (workload/spec/recompute_policy.h)", no_early_stop,
           nullptr},
    Effect{"gradient_norm", "optimizer.gradient_norm", "false",
           "gradients are clipped by their norm over all ranks", "the job", no_gradient_norm,
           nullptr},
    Effect{"expert_overlap", "parallel.overlap_experts", "false",
           "forward and backward passes of two microbatches run together and hide token exchanges",
           "the framework's release (workload/spec/model_parallel_policy.h): Megatron-Bridge's "
           "configurations, 26.08",
           no_expert_overlap, nullptr},
    Effect{
        "dispatcher", "parallel.dispatcher", "all_to_all",
        "DeepEP and HybridEP send a token once to each rank, and the receiver copies it",
        "the job; the framework's release and the device (workload/spec/model_parallel_policy.h): "
        "Megatron-Bridge's configurations",
        no_dispatcher, nullptr},
    Effect{"sorted_copies", "kernels.sort_copies", "false",
           "kernels that sort received copies of tokens by expert",
           "the framework: Megatron-Core, core/transformer/moe/token_dispatcher.py",
           no_sorted_copies, nullptr},
    Effect{"fused_experts", "kernels.fused_experts", "false",
           "the experts' products include their biases, activation and casts",
           "the framework's release (workload/spec/model_parallel_policy.h): Transformer Engine's "
           "grouped MLP",
           no_fused_experts, nullptr},
    Effect{"attention_in_8_bits", "precision.attention", "that of activations",
           "attention multiplies fp8 numbers",
           "the framework's release (workload/spec/model_parallel_policy.h): Megatron-Bridge's "
           "configurations, 26.08",
           no_narrow_attention, nullptr},
    Effect{"expert_biases", "model.moe.expert_bias", "false",
           "kernels that add the experts' biases",
           "the model and the framework: Megatron-Core, core/transformer/moe/experts.py",
           no_expert_biases, nullptr},
    Effect{"expert_clamp", "model.moe.clamp", "false",
           "kernels that clamp the inputs of the experts' activation, and a wait of the host",
           "the model and the framework: Megatron-Core, core/fusions/fused_bias_geglu.py "
           "(workload/spec/launch_policy.h)",
           no_clamp, nullptr},
    Effect{"expert_launches", "kernels.expert_launches", "false",
           "launches of the products and casts of each expert",
           "the framework: Transformer Engine's grouped linear layers "
           "(workload/spec/launch_policy.h)",
           no_expert_launches, nullptr},
    Effect{"expert_syncs", "kernels.expert_syncs", "false",
           "the host waits for the number of tokens of each expert",
           "the framework: Megatron-Core's token dispatchers (workload/spec/launch_policy.h)",
           no_expert_syncs, nullptr},
    Effect{"graphs", "kernels.graphs", "false",
           "CUDA graphs of complete steps: no kernel waits for the host",
           "the framework's release (workload/spec/launch_policy.h): Megatron-Bridge's "
           "configurations, 26.08",
           no_graphs, nullptr},
    Effect{"imbalance", "model.moe.imbalance", "1", "experts of some ranks receive more tokens",
           "the job; 1 by default", no_imbalance, nullptr},
};

}  // namespace

std::span<const Effect> effects() { return kEffects; }

const Effect* find_effect(std::string_view name) {
  const auto* const found = std::find_if(kEffects.begin(), kEffects.end(),
                                         [&](const Effect& e) { return e.name == name; });
  return found == kEffects.end() ? nullptr : found;
}

Result<void> check_effects(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (find_effect(name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Effect& effect : kEffects) known.push_back(effect.name);
    const std::string near = did_you_mean(name, known);
    return fail(Errc::usage, "--without", fmt::format("no effect is called '{}'", name),
                near.empty() ? "docs/scoreboard.md lists them" : near);
  }
  return {};
}

Result<void> switch_off(const std::vector<std::string>& names, Spec& spec) {
  if (names.empty()) return {};
  for (const std::string& name : names) {
    const Effect* effect = find_effect(name);
    if (effect == nullptr || effect->of_job == nullptr) continue;
    if (auto done = effect->of_job(spec); !done) return done;
  }
  return workload::check_spec(spec);
}

void switch_off(const std::vector<std::string>& names, Platform& platform) {
  for (const std::string& name : names) {
    const Effect* effect = find_effect(name);
    if (effect != nullptr && effect->of_cluster != nullptr) effect->of_cluster(platform);
  }
}

}  // namespace orrery::study
