// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/model_parallel_policy.h"

#include <array>
#include <cstddef>

namespace orrery::workload {
namespace {

/// Transformer Engine's num_splits.
constexpr std::int64_t kSplits = 4;

/// The first release of Megatron-Bridge that runs experts in MXFP8 as model_parallel_policy.h
/// describes.
constexpr Release kNewExperts{26, 6, 0};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Experts in MXFP8 under a release of Megatron that has their new kernels.
bool has_new_experts(const Spec& spec) {
  return spec.kernels.framework == Framework::megatron && spec.model.moe &&
         spec.precision.product_type() == Dtype::fp8 && spec.precision.scaling == Scaling::mx &&
         release_of(spec) >= kNewExperts;
}

}  // namespace

TensorOverlap tensor_overlap(const Spec& spec) {
  const Parallel& plan = spec.parallel;
  if (!plan.sp || plan.tp == 1 || !spec.schedule.overlap || spec.compat != Compat::none)
    return TensorOverlap::none;
  if (plan.tp_overlap) return *plan.tp_overlap;
  const Framework framework = spec.kernels.framework;
  return framework == Framework::none || framework == Framework::megatron ? TensorOverlap::pipelined
                                                                          : TensorOverlap::none;
}

std::int64_t gathered_pieces(const Spec& spec) {
  return tensor_overlap(spec) == TensorOverlap::none ? 1 : spec.parallel.tp;
}

std::int64_t reduced_pieces(const Spec& spec) {
  const TensorOverlap overlap = tensor_overlap(spec);
  if (overlap == TensorOverlap::none) return 1;
  return overlap == TensorOverlap::ring ? spec.parallel.tp : kSplits;
}

bool scatters_sends(const Spec& spec) {
  const Parallel& plan = spec.parallel;
  if (plan.tp == 1 || plan.sp || plan.pp == 1 || spec.compat != Compat::none) return false;
  const Framework framework = spec.kernels.framework;
  return spec.schedule.scatter_sends.value_or(framework == Framework::megatron ||
                                              framework == Framework::megatron_2021);
}

bool overlaps_weight_gradients(const Spec& spec) {
  const Framework framework = spec.kernels.framework;
  return framework == Framework::none || framework == Framework::megatron;
}

std::optional<Release> parse_release(std::string_view text) {
  if (text.size() != 5 && text.size() != 8) return std::nullopt;
  std::array<std::int32_t, 3> numbers{};
  for (std::size_t i = 0; i < text.size(); i += 3) {
    if (!is_digit(text[i]) || !is_digit(text[i + 1])) return std::nullopt;
    if (i + 2 < text.size() && text[i + 2] != '.') return std::nullopt;
    numbers[i / 3] = (text[i] - '0') * 10 + (text[i + 1] - '0');
  }
  if (numbers[1] < 1 || numbers[1] > 12) return std::nullopt;
  return Release{numbers[0], numbers[1], numbers[2]};
}

Release release_of(const Spec& spec) {
  return parse_release(spec.kernels.release).value_or(kNewestRelease);
}

Dispatcher dispatcher_of(const Spec& spec) {
  const Parallel& plan = spec.parallel;
  if (plan.dispatcher) return *plan.dispatcher;
  const bool exchanges = spec.model.moe && plan.ep > 1 && !plan.ep_own_axis;
  if (!exchanges || spec.kernels.framework != Framework::megatron || spec.compat != Compat::none)
    return Dispatcher::all_to_all;
  const TargetMachine& machine = spec.machine;
  const bool within = machine.domain == 0 || plan.ep * plan.expert_tp() <= machine.domain;
  for (const DispatcherDefault& one : kDispatcherDefaults)
    if (machine.device.starts_with(one.device) && release_of(spec) >= one.since)
      return within ? one.within : one.between;
  return Dispatcher::all_to_all;
}

bool sends_tokens_once(const Spec& spec) {
  const Dispatcher dispatcher = dispatcher_of(spec);
  return dispatcher == Dispatcher::deepep || dispatcher == Dispatcher::hybridep;
}

bool sorts_copies(const Spec& spec) {
  const Parallel& plan = spec.parallel;
  if (!spec.model.moe || plan.ep == 1 || plan.ep_own_axis || sends_tokens_once(spec)) return false;
  const bool several = spec.model.moe->experts > plan.ep;
  return several &&
         spec.kernels.sort_copies.value_or(spec.kernels.framework == Framework::megatron &&
                                           dispatcher_of(spec) == Dispatcher::all_to_all);
}

bool can_overlap_experts(const Spec& spec) {
  const Parallel& plan = spec.parallel;
  const bool exchanges = spec.model.moe && plan.ep > 1 && !plan.ep_own_axis;
  const ScheduleKind kind = spec.schedule.kind;
  const bool alternates =
      kind == ScheduleKind::interleaved || (kind == ScheduleKind::one_f_one_b && plan.pp == 1);
  return exchanges && alternates && spec.schedule.overlap && spec.compat == Compat::none &&
         plan.sharding != Sharding::zero3;
}

bool overlaps_experts(const Spec& spec) {
  return can_overlap_experts(spec) && spec.parallel.overlap_experts.value_or(has_new_experts(spec));
}

bool supports_fused_experts(const Spec& spec) {
  if (!has_new_experts(spec)) return false;
  constexpr std::int64_t kMultiple = 64;
  const Model& model = spec.model;
  return model.mlp == Mlp::swiglu && spec.parallel.expert_tp() == 1 && !model.moe->expert_bias &&
         model.hidden % kMultiple == 0 && model.expert_inner() % kMultiple == 0;
}

bool fuses_experts(const Spec& spec) {
  return spec.model.moe && spec.kernels.fused_experts.value_or(supports_fused_experts(spec));
}

bool attends_in_8_bits(const Spec& spec) {
  const Precision& precision = spec.precision;
  if (!spec.kernels.flash_attention || bytes_of(precision.activations) < 2) return false;
  if (precision.attention) return *precision.attention == Dtype::fp8;
  return has_new_experts(spec) && !spec.model.mla &&
         spec.kernels.attention_kernels() == AttentionKernels::newest;
}

}  // namespace orrery::workload
