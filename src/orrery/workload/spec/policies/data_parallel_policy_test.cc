// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/data_parallel_policy.h"

#include <gtest/gtest.h>

namespace orrery::workload {
namespace {

Spec job(Framework framework, Sharding sharding, std::int64_t pp = 1) {
  Spec spec;
  spec.kernels.framework = framework;
  spec.parallel.sharding = sharding;
  spec.parallel.pp = pp;
  spec.parallel.dp = 16;
  spec.batch.global = 64;
  return spec;
}

TEST(DataParallelPolicy, WithoutAFrameworkNothingOverlapsTheOptimizer) {
  const DataParallelPolicy policy = data_parallel_policy(job(Framework::none, Sharding::zero1));
  EXPECT_EQ(policy.bucket, 25 << 20);
  EXPECT_EQ(policy.first_bucket, 25 << 20);
  EXPECT_FALSE(policy.splits_layers || policy.only_first_chunk_has_buckets ||
               policy.overlap_weights);
  EXPECT_TRUE(policy.overlap_gradients);
  EXPECT_FALSE(policy.keep_gathered || policy.reduce_once);
}

TEST(DataParallelPolicy, BucketsAreTheFrameworks) {
  EXPECT_EQ(data_parallel_policy(job(Framework::pytorch, Sharding::none)).first_bucket, 1 << 20);
  EXPECT_EQ(data_parallel_policy(job(Framework::torchtitan, Sharding::none)).bucket, 100 << 20);
  Spec spec = job(Framework::megatron, Sharding::zero1);
  EXPECT_EQ(data_parallel_policy(spec).bucket, 4 * 40'000'000);
  spec.parallel.dp = 64;
  spec.parallel.cp = 2;
  spec.batch.global = 128;
  EXPECT_EQ(data_parallel_policy(spec).bucket, 4 * 128'000'000);
  spec.kernels.framework = Framework::deepspeed;
  spec.precision.reduce = Dtype::bf16;
  EXPECT_EQ(data_parallel_policy(spec).bucket, 1'000'000'000);
}

TEST(DataParallelPolicy, AKeyIsStrongerThanTheFramework) {
  Spec spec = job(Framework::pytorch, Sharding::zero1);
  spec.parallel.bucket = Bytes(50 << 20);
  spec.parallel.overlap_weights = true;
  const DataParallelPolicy policy = data_parallel_policy(spec);
  EXPECT_EQ(policy.bucket, 50 << 20);
  EXPECT_EQ(policy.first_bucket, 50 << 20);
  EXPECT_TRUE(policy.overlap_weights);
}

TEST(DataParallelPolicy, MegatronGathersAheadOnlyWhereItReducesAhead) {
  Spec spec = job(Framework::megatron, Sharding::zero1);
  EXPECT_TRUE(data_parallel_policy(spec).overlap_weights);
  spec.parallel.overlap_gradients = false;
  EXPECT_FALSE(data_parallel_policy(spec).overlap_weights);
  EXPECT_EQ(data_parallel_policy(spec).bucket, DataParallelPolicy::kNoBuckets);
}

TEST(DataParallelPolicy, DeepSpeedOverlapsInItsThirdStage) {
  EXPECT_FALSE(data_parallel_policy(job(Framework::deepspeed, Sharding::zero2)).overlap_gradients);
  EXPECT_TRUE(data_parallel_policy(job(Framework::deepspeed, Sharding::zero3)).overlap_gradients);
}

TEST(DataParallelPolicy, TorchtitanKeepsWeightsInPipelines) {
  EXPECT_FALSE(data_parallel_policy(job(Framework::torchtitan, Sharding::zero3)).keep_gathered);
  Spec staged = job(Framework::torchtitan, Sharding::zero3, 4);
  EXPECT_TRUE(data_parallel_policy(staged).keep_gathered &&
              data_parallel_policy(staged).reduce_once);
  staged.batch.global = 16;  // one microbatch: once is always
  EXPECT_FALSE(data_parallel_policy(staged).reduce_once);
}

}  // namespace
}  // namespace orrery::workload
