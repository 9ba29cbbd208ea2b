// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/launch_policy.h"

#include <gtest/gtest.h>

#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {
namespace {

Time launch_us(std::int64_t count) { return Time(count * 1'000'000); }

/// A mixture of experts with Megatron: 16 experts on 8 ranks, which exchange tokens.
Spec launch_job() {
  Spec spec;
  spec.model.hidden = 2048;
  spec.model.heads = 16;
  spec.model.mlp = Mlp::swiglu;
  spec.model.moe = Moe{.experts = 16, .top_k = 2, .ffn = 768};
  spec.parallel.dp = spec.parallel.ep = 8;
  spec.batch.global = 64;
  spec.kernels.framework = Framework::megatron;
  return spec;
}

Spec mx_launch_job(const char* release) {
  Spec spec = launch_job();
  spec.precision.products = Dtype::fp8;
  spec.precision.scaling = Scaling::mx;
  spec.kernels.release = release;
  return spec;
}

// A host's time for a launch is the framework's, or the job's own; none in graphs.
TEST(LaunchPolicy, HostsAreTheFrameworks) {
  Spec spec;
  Kernels& kernels = spec.kernels;
  EXPECT_FALSE(launch_times(spec).is_set());
  kernels.framework = Framework::deepspeed;
  const graph::LaunchTimes eager = launch_times(spec);
  EXPECT_EQ(eager.forward, launch_times_of(Framework::pytorch).forward);
  EXPECT_GT(eager.backward, eager.optimizer);
  EXPECT_GT(eager.forward, eager.optimizer);
  EXPECT_LT(eager.looped_forward, launch_us(10));
  EXPECT_GT(eager.looped_backward, launch_us(10));
  kernels.launch = launch_us(5);
  const graph::LaunchTimes own = launch_times(spec);
  EXPECT_EQ(own.forward, launch_us(5));
  EXPECT_EQ(own.backward, launch_us(5));
  EXPECT_EQ(own.optimizer, launch_us(5));
  EXPECT_LT(own.looped_forward, launch_us(2)) << "a fast host is fast in loops, too";
  kernels.launch = Time{};
  EXPECT_FALSE(launch_times(spec).is_set());
  kernels.launch.reset();
  kernels.graphs = true;
  EXPECT_FALSE(launch_times(spec).is_set());
}

TEST(LaunchPolicy, GraphsNeedExpertsWithoutTheHost) {
  EXPECT_FALSE(captures_graphs(launch_job())) << "16 bits";
  EXPECT_FALSE(captures_graphs(mx_launch_job("26.04.01")));
  EXPECT_TRUE(captures_graphs(mx_launch_job("26.06")));
  EXPECT_TRUE(captures_graphs(mx_launch_job("")));
  Spec spec = mx_launch_job("26.08");
  spec.kernels.launch = launch_us(5);
  EXPECT_FALSE(captures_graphs(spec)) << "the job has a host";
  EXPECT_TRUE(launch_times(spec).is_set());
  spec = mx_launch_job("26.08");
  spec.kernels.graphs = false;
  EXPECT_TRUE(launch_times(spec).is_set());
  spec = mx_launch_job("26.08");
  spec.model.moe.reset();
  EXPECT_FALSE(captures_graphs(spec));
}

// Experts with biases and clamps are fused only if the job says so.
TEST(LaunchPolicy, FusedExpertsNeedNoHostAndNoClamps) {
  Spec spec = mx_launch_job("26.06");
  spec.model.moe->expert_bias = spec.model.moe->clamp = true;
  for (const bool fused : {false, true}) {
    if (fused) spec.kernels.fused_experts = true;
    EXPECT_FALSE(captures_graphs(spec)) << "another key";
    EXPECT_EQ(launches_per_expert(spec), !fused);
    EXPECT_EQ(reads_token_counts(spec), !fused);
    EXPECT_EQ(clamps_experts(spec), !fused);
  }
}

TEST(LaunchPolicy, ExpertsAreLaunchedOneByOneByMegatron) {
  Spec spec = launch_job();
  EXPECT_TRUE(launches_per_expert(spec));
  spec.kernels.expert_launches = false;
  EXPECT_FALSE(launches_per_expert(spec)) << "the job decides";
  spec = launch_job();
  spec.model.moe.reset();
  EXPECT_FALSE(launches_per_expert(spec));
  for (const Framework other : {Framework::none, Framework::pytorch, Framework::torchtitan,
                                Framework::torchtitan_compiled, Framework::deepspeed}) {
    spec = launch_job();
    spec.kernels.framework = other;
    EXPECT_FALSE(launches_per_expert(spec));
  }
}

TEST(LaunchPolicy, HostsReadTheCountsOfDroplessExperts) {
  Spec spec = launch_job();
  EXPECT_TRUE(reads_token_counts(spec));
  spec.model.moe->capacity_factor = 1.25;
  EXPECT_TRUE(reads_token_counts(spec)) << "the number of dropped tokens is not known";
  spec.model.moe->pad_to_capacity = true;
  EXPECT_FALSE(reads_token_counts(spec));
  spec.kernels.expert_syncs = true;
  EXPECT_TRUE(reads_token_counts(spec)) << "the job decides";
  spec = launch_job();
  spec.kernels.framework = Framework::torchtitan;
  EXPECT_TRUE(reads_token_counts(spec));
  spec.kernels.framework = Framework::none;
  EXPECT_FALSE(reads_token_counts(spec));
}

}  // namespace
}  // namespace orrery::workload
