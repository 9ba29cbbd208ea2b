// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/launch_policy.h"

#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {
namespace {

bool is_megatron(const Spec& spec) { return spec.kernels.framework == Framework::megatron; }

/// Launches of loops take this share of a launch with the framework's work: the shortest 10 % of
/// recorded launches, 9.0 of 43.6 us forward and 13.0 of 38.1 us backward (docs/kernel-times.md).
constexpr std::int64_t kLoopedForwardShare = 90, kMeanForward = 436;
constexpr std::int64_t kLoopedBackwardShare = 130, kMeanBackward = 381;

}  // namespace

bool captures_graphs(const Spec& spec) {
  return spec.kernels.graphs.value_or(!spec.kernels.launch && supports_fused_experts(spec));
}

graph::LaunchTimes launch_times(const Spec& spec) {
  if (captures_graphs(spec)) return {};
  graph::LaunchTimes times = launch_times_of(spec.kernels.framework);
  if (const auto& each = spec.kernels.launch; each) times = {*each, *each, *each, {}, {}};
  times.looped_forward = Time(times.forward.count() / kMeanForward * kLoopedForwardShare);
  times.looped_backward = Time(times.backward.count() / kMeanBackward * kLoopedBackwardShare);
  return times;
}

bool launches_per_expert(const Spec& spec) {
  if (!spec.model.moe || !spec.kernels.fusion().grouped || fuses_experts(spec)) return false;
  return spec.kernels.expert_launches.value_or(is_megatron(spec));
}

bool reads_token_counts(const Spec& spec) {
  if (!spec.model.moe) return false;
  const Framework framework = spec.kernels.framework;
  const bool reads = is_megatron(spec) || framework == Framework::torchtitan ||
                     framework == Framework::torchtitan_compiled;
  const bool known = spec.model.moe->capacity_factor > 0 && spec.model.moe->pad_to_capacity;
  return spec.kernels.expert_syncs.value_or(reads && !known && !fuses_experts(spec));
}

bool clamps_experts(const Spec& spec) {
  return spec.model.moe && spec.model.moe->clamp && is_megatron(spec) && !fuses_experts(spec);
}

}  // namespace orrery::workload
