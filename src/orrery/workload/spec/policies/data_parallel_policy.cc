// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/data_parallel_policy.h"

#include <algorithm>

#include "orrery/workload/spec/amount.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

/// Bytes of `elements` gradients in messages.
std::int64_t sent_bytes(const Spec& spec, Amount elements) {
  return bytes(elements, spec.precision.reduce).value();
}

void as_megatron(const Spec& spec, DataParallelPolicy& policy) {
  const Parallel& plan = spec.parallel;
  const Amount by_ranks = Amount(plan.dp) * plan.cp * 1'000'000;
  policy.bucket = sent_bytes(spec, std::max<Amount>(40'000'000, by_ranks));
  policy.splits_layers = policy.only_first_chunk_has_buckets = true;
  policy.overlap_weights = plan.overlap_gradients.value_or(true);
  if (!policy.overlap_weights) policy.bucket = DataParallelPolicy::kNoBuckets;
}

/// All gradients are in one buffer and are reduced when it is complete.
void as_megatron_2021(DataParallelPolicy& policy) {
  policy.bucket = DataParallelPolicy::kNoBuckets;
  policy.overlap_gradients = false;
}

void as_deepspeed(const Spec& spec, DataParallelPolicy& policy) {
  policy.bucket = sent_bytes(spec, 500'000'000);
  policy.splits_layers = true;
  policy.overlap_gradients = spec.parallel.sharding == Sharding::zero3;
}

void as_torchtitan(const Spec& spec, DataParallelPolicy& policy) {
  policy.bucket = 100 * kMebibyte;
  policy.splits_layers = true;
  policy.keep_gathered = policy.reduce_once = spec.parallel.pp > 1;
}

}  // namespace

DataParallelPolicy data_parallel_policy(const Spec& spec) {
  const Parallel& plan = spec.parallel;
  DataParallelPolicy policy;
  policy.bucket = 25 * kMebibyte;
  policy.first_bucket = 0;
  switch (spec.kernels.framework) {
    case Framework::none:
      break;
    case Framework::pytorch:
      policy.first_bucket = kMebibyte;
      policy.splits_layers = true;
      break;
    case Framework::torchtitan:
    case Framework::torchtitan_compiled:
      as_torchtitan(spec, policy);
      break;
    case Framework::deepspeed:
      as_deepspeed(spec, policy);
      break;
    case Framework::megatron:
      as_megatron(spec, policy);
      break;
    case Framework::megatron_2021:
      as_megatron_2021(policy);
      break;
  }
  if (plan.bucket) {
    policy.bucket = plan.bucket->count();
    policy.first_bucket = 0;
    policy.splits_layers = true;
  }
  if (policy.first_bucket == 0) policy.first_bucket = policy.bucket;
  policy.overlap_gradients = plan.overlap_gradients.value_or(policy.overlap_gradients);
  policy.overlap_weights = plan.overlap_weights.value_or(policy.overlap_weights);
  policy.keep_gathered = plan.keep_gathered.value_or(policy.keep_gathered);
  const bool several = plan.dp < 1 || spec.microbatches() > 1;
  policy.reduce_once = several && plan.reduce_once.value_or(policy.reduce_once);
  policy.prefetch_backward = plan.prefetch_backward.value_or(plan.prefetch);
  return policy;
}

}  // namespace orrery::workload
