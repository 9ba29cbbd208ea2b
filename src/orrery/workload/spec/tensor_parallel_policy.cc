// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/tensor_parallel_policy.h"

namespace orrery::workload {
namespace {

/// Transformer Engine's num_splits.
constexpr std::int64_t kSplits = 4;

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

}  // namespace orrery::workload
