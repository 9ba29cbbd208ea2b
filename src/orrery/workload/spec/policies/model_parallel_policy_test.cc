// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/model_parallel_policy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/config/parameters.h"

namespace orrery::workload {
namespace {

Spec cut(Framework framework) {
  Spec spec;
  spec.kernels.framework = framework;
  spec.parallel.tp = 8;
  spec.parallel.sp = true;
  return spec;
}

TEST(TensorPolicy, IsTheFrameworks) {
  for (const Framework framework : {Framework::none, Framework::megatron})
    EXPECT_EQ(tensor_overlap(cut(framework)), TensorOverlap::pipelined);
  for (const Framework framework : {Framework::pytorch, Framework::torchtitan, Framework::deepspeed,
                                    Framework::torchtitan_compiled, Framework::megatron_2021})
    EXPECT_EQ(tensor_overlap(cut(framework)), TensorOverlap::none);
}

TEST(TensorPolicy, IsWhatTheJobSays) {
  Spec spec = cut(Framework::pytorch);
  spec.parallel.tp_overlap = TensorOverlap::ring;
  EXPECT_EQ(gathered_pieces(spec), 8);
  EXPECT_EQ(reduced_pieces(spec), 8);
  spec.parallel.tp_overlap = TensorOverlap::pipelined;
  EXPECT_EQ(gathered_pieces(spec), 8);
  EXPECT_EQ(reduced_pieces(spec), 4);
  spec.parallel.tp_overlap = TensorOverlap::none;
  EXPECT_EQ(gathered_pieces(spec), 1);
  EXPECT_EQ(reduced_pieces(spec), 1);
}

TEST(TensorPolicy, NeedsSequenceParallelismAndOverlap) {
  Spec spec = cut(Framework::megatron);
  spec.parallel.sp = false;
  EXPECT_EQ(tensor_overlap(spec), TensorOverlap::none);
  spec = cut(Framework::megatron);
  spec.schedule.overlap = false;
  EXPECT_EQ(tensor_overlap(spec), TensorOverlap::none);
  spec = cut(Framework::megatron);
  spec.compat = Compat::stage;
  EXPECT_EQ(tensor_overlap(spec), TensorOverlap::none);
}

/// A mixture of experts in MXFP8 with Megatron, on 8 ranks.
Spec mx_job() {
  Spec spec;
  spec.model.layers = 2;
  spec.model.hidden = 2048;
  spec.model.heads = 16;
  spec.model.mlp = Mlp::swiglu;
  spec.model.moe = Moe{.experts = 16, .top_k = 2, .ffn = 768};
  spec.parallel.dp = spec.parallel.ep = 8;
  spec.batch.seq = 4096;
  spec.batch.global = 64;
  spec.precision.products = Dtype::fp8;
  spec.precision.scaling = Scaling::mx;
  spec.kernels.framework = Framework::megatron;
  return spec;
}

TEST(Release, IsYearMonthAndPatch) {
  EXPECT_EQ(parse_release("26.04"), (Release{26, 4, 0}));
  EXPECT_EQ(parse_release("26.04.01"), (Release{26, 4, 1}));
  EXPECT_EQ(parse_release("25.11"), (Release{25, 11, 0}));
  for (const char* wrong : {"", "26", "26.4", "26.13", "26.00", "26-04", "26.04.1", "26.04.01.2",
                            "26.041", "a6.04", "2026.04", "26.04.", "v26.04"})
    EXPECT_EQ(parse_release(wrong), std::nullopt) << wrong;
  EXPECT_LT(*parse_release("25.11"), *parse_release("26.02"));
  EXPECT_LT(*parse_release("26.04"), *parse_release("26.04.01"));
  EXPECT_LT(*parse_release("26.04.01"), *parse_release("26.06"));
}

TEST(ExpertPolicy, TheReferenceNamesTheNewestRelease) {
  const std::string newest =
      fmt::format("\"{:02}.{:02}\"", kNewestRelease.year, kNewestRelease.month);
  const auto& keys = config::table_of<Kernels>().parameters;
  const auto release = std::ranges::find(keys, "release", &config::Parameter::name);
  ASSERT_NE(release, keys.end());
  EXPECT_THAT(std::string(release->default_note), testing::HasSubstr(newest));
}

TEST(ExpertPolicy, ReleasesDecideWhatTheJobDoesNot) {
  Spec spec = mx_job();
  EXPECT_EQ(release_of(spec), kNewestRelease);
  EXPECT_TRUE(overlaps_experts(spec));
  EXPECT_TRUE(fuses_experts(spec));
  EXPECT_TRUE(attends_in_8_bits(spec));
  for (const char* before : {"25.09", "26.02", "26.04.01"}) {
    spec.kernels.release = before;
    EXPECT_FALSE(overlaps_experts(spec)) << before;
    EXPECT_FALSE(fuses_experts(spec)) << before;
    EXPECT_FALSE(attends_in_8_bits(spec)) << before;
  }
  spec.precision.attention = Dtype::fp8;
  EXPECT_TRUE(attends_in_8_bits(spec)) << "the job decides";
  spec.precision.attention = Dtype::bf16;
  spec.kernels.release.clear();
  EXPECT_FALSE(attends_in_8_bits(spec));
  spec.parallel.overlap_experts = true;
  spec.kernels.fused_experts = true;
  EXPECT_TRUE(overlaps_experts(spec)) << "the job decides";
  EXPECT_TRUE(fuses_experts(spec));
}

TEST(ExpertPolicy, OtherFormatsAndFrameworksKeepTheirKernels) {
  for (const Scaling scaling : {Scaling::tensor, Scaling::delayed, Scaling::blockwise}) {
    Spec spec = mx_job();
    spec.precision.scaling = scaling;
    EXPECT_FALSE(overlaps_experts(spec) || fuses_experts(spec));
  }
  Spec bf16 = mx_job();
  bf16.precision.products.reset();
  EXPECT_FALSE(overlaps_experts(bf16) || fuses_experts(bf16));
  Spec other = mx_job();
  other.kernels.framework = Framework::torchtitan;
  EXPECT_FALSE(overlaps_experts(other) || fuses_experts(other));
}

/// Experts on ep ranks of a cluster with domains of `domain` devices.
Spec exchange_job(const char* device, std::int64_t domain, std::int64_t ep, const char* release) {
  Spec spec = mx_job();
  spec.machine = {device, domain};
  spec.parallel.dp = spec.parallel.ep = ep;
  spec.kernels.release = release;
  return spec;
}

// Megatron-Bridge's configurations, see kDispatcherDefaults.
TEST(DispatcherPolicy, IsThatOfTheReleaseAndTheDevice) {
  EXPECT_EQ(dispatcher_of(exchange_job("gb300", 72, 8, "26.04")), Dispatcher::hybridep);
  EXPECT_EQ(dispatcher_of(exchange_job("gb200", 72, 64, "26.02")), Dispatcher::hybridep);
  EXPECT_EQ(dispatcher_of(exchange_job("gb200", 72, 8, "25.11")), Dispatcher::all_to_all);
  EXPECT_EQ(dispatcher_of(exchange_job("b200", 8, 8, "26.04")), Dispatcher::hybridep);
  EXPECT_EQ(dispatcher_of(exchange_job("b200", 8, 8, "26.02.01")), Dispatcher::all_to_all);
  EXPECT_EQ(dispatcher_of(exchange_job("b200", 8, 16, "26.04.01")), Dispatcher::deepep);
  EXPECT_EQ(dispatcher_of(exchange_job("b300", 8, 16, "26.04.01")), Dispatcher::hybridep);
  EXPECT_EQ(dispatcher_of(exchange_job("h100-sxm", 8, 8, "26.08")), Dispatcher::all_to_all);
  EXPECT_EQ(dispatcher_of(exchange_job("h100-sxm", 8, 16, "26.04")), Dispatcher::hybridep);
  EXPECT_EQ(dispatcher_of(exchange_job("", 0, 8, "26.08")), Dispatcher::all_to_all);
}

TEST(DispatcherPolicy, OthersExchangeByAllToAllUnlessTheJobSaysSo) {
  Spec spec = exchange_job("gb300", 72, 8, "26.08");
  spec.kernels.framework = Framework::torchtitan;
  EXPECT_EQ(dispatcher_of(spec), Dispatcher::all_to_all);
  EXPECT_FALSE(sends_tokens_once(spec));
  spec.parallel.dispatcher = Dispatcher::deepep;
  EXPECT_EQ(dispatcher_of(spec), Dispatcher::deepep);
  EXPECT_TRUE(sends_tokens_once(spec));
  spec = exchange_job("gb300", 72, 8, "26.08");
  spec.parallel.ep = 1;
  EXPECT_EQ(dispatcher_of(spec), Dispatcher::all_to_all) << "nothing is exchanged";
}

// Megatron-Core sorts what arrives if a rank has several experts; receivers of DeepEP and HybridEP
// make the copies in the order of experts.
TEST(DispatcherPolicy, CopiesAreSortedIfARankHasSeveralExperts) {
  Spec spec = exchange_job("h100-sxm", 8, 8, "26.08");
  spec.model.moe->experts = 16;
  EXPECT_TRUE(sorts_copies(spec));
  spec.model.moe->experts = 8;
  EXPECT_FALSE(sorts_copies(spec));
  spec.model.moe->experts = 16;
  spec.kernels.sort_copies = false;
  EXPECT_FALSE(sorts_copies(spec));
  spec.kernels.sort_copies = true;
  spec.parallel.dispatcher = Dispatcher::hybridep;
  EXPECT_FALSE(sorts_copies(spec));
}

// Transformer Engine's kernel has SwiGLU, in multiples of 64. Jobs with biases have to ask for it.
TEST(ExpertPolicy, FusesOnlyWhatTheKernelSupports) {
  Spec bias = mx_job();
  bias.model.moe->expert_bias = true;
  EXPECT_FALSE(fuses_experts(bias));
  bias.kernels.fused_experts = true;
  EXPECT_TRUE(fuses_experts(bias));
  Spec width = mx_job();
  width.model.moe->ffn = 2880;
  EXPECT_TRUE(fuses_experts(width));
  width.model.moe->ffn = 2896;
  EXPECT_FALSE(fuses_experts(width));
  Spec split = mx_job();
  split.parallel.tp = split.parallel.etp = 2;
  EXPECT_FALSE(fuses_experts(split));
  Spec gelu = mx_job();
  gelu.model.mlp = Mlp::gelu;
  EXPECT_FALSE(fuses_experts(gelu));
  EXPECT_TRUE(overlaps_experts(gelu)) << "another effect";
}

TEST(ExpertPolicy, PassesRunTogetherOnlyWhereTheyAlternate) {
  Spec spec = mx_job();
  EXPECT_TRUE(can_overlap_experts(spec));
  spec.parallel.pp = 2;
  EXPECT_FALSE(can_overlap_experts(spec)) << "the last stage runs both passes of one microbatch";
  spec.schedule.kind = ScheduleKind::interleaved;
  spec.schedule.chunks = 2;
  EXPECT_TRUE(can_overlap_experts(spec));
  spec.schedule.overlap = false;
  EXPECT_FALSE(can_overlap_experts(spec));
  Spec sharded = mx_job();
  sharded.parallel.sharding = Sharding::zero3;
  EXPECT_FALSE(can_overlap_experts(sharded));
  Spec alone = mx_job();
  alone.parallel.ep = 1;
  EXPECT_FALSE(can_overlap_experts(alone));
  alone.parallel.overlap_experts = true;
  const auto allowed = check_spec(alone);
  ASSERT_FALSE(allowed);
  EXPECT_EQ(allowed.error().code, Errc::config_conflict);
}

TEST(ExpertPolicy, RefusesWhatIsNoRelease) {
  Spec spec = mx_job();
  spec.kernels.release = "26.4";
  const auto allowed = check_spec(spec);
  ASSERT_FALSE(allowed);
  EXPECT_EQ(allowed.error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::workload
