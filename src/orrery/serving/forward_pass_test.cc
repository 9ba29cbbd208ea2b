// SPDX-License-Identifier: Apache-2.0
//
// Forward passes of models of the catalog. Under 1 CPU second.
#include "orrery/serving/forward_pass.h"

#include <gtest/gtest.h>

#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::serving {
namespace {

using Pass = std::shared_ptr<const ForwardPass>;

PassInputs inputs_of(const char* model, std::int64_t tp = 1, const char* device = "h100-sxm") {
  PassInputs inputs;
  inputs.spec = workload::unresolved_spec();
  EXPECT_TRUE(workload::set(inputs.spec, "model", model));
  inputs.spec.parallel.tp = tp;
  inputs.spec.batch.seq = 16;
  Findings findings;
  EXPECT_TRUE(workload::resolve_defaults(inputs.spec, tp, "", findings));
  inputs.kernels = model::kernel_models({});
  inputs.silicon = model::silicon_of(*platform::find_device(device));
  return inputs;
}

Pass pass_of(PassInputs inputs) {
  auto made = ForwardPass::make(std::move(inputs));
  EXPECT_TRUE(made) << to_string(made.error());
  return *made;
}

TEST(ForwardPass, CountsTheMemoryOfTheModel) {
  const Pass llama = pass_of(inputs_of("llama-3.1-8b"));
  EXPECT_EQ(llama->weight_bytes(), 2 * 8'030'261'248);
  EXPECT_EQ(llama->token_bytes(), 32 * 2 * 8 * 128 * 2);
  const Pass half = pass_of(inputs_of("llama-3.1-8b", 2));
  EXPECT_EQ(half->token_bytes(), llama->token_bytes() / 2);
  PassInputs small = inputs_of("llama-3.1-8b");
  small.fp8_cache = true;
  EXPECT_EQ(pass_of(small)->token_bytes(), llama->token_bytes() / 2);
  // The latent and the rotary part of a key: 512 + 64 numbers, on every rank.
  EXPECT_EQ(pass_of(inputs_of("deepseek-v3", 8))->token_bytes(), 61 * 576 * 2);
  // Every second layer has a window of 128 tokens.
  const Pass windows = pass_of(inputs_of("gpt-oss-20b"));
  EXPECT_EQ(windows->token_bytes(), 12 * 2 * 8 * 64 * 2);
  EXPECT_EQ(windows->window_bytes(), windows->token_bytes() * 128);
}

TEST(ForwardPass, DecodingReadsWeightsAndKeys) {
  const Pass llama = pass_of(inputs_of("llama-3.1-8b"));
  const double memory = 3.35e12;
  const double weights = (8'030'261'248.0 - 525'336'576) * 2 / memory;  // without the input table
  const double one = llama->layers(1).seconds() + llama->head(1).seconds();
  EXPECT_GT(one, weights);
  EXPECT_LT(one, 1.6 * weights);
  const double keys = 128.0 * 2000 * 131072 / memory;
  EXPECT_GT(llama->decode(128, 2000), keys);
  EXPECT_LT(llama->decode(128, 2000), 1.5 * keys);
}

TEST(ForwardPass, LongPromptsAreBoundByProducts) {
  const Pass llama = pass_of(inputs_of("llama-3.1-8b"));
  const double least = 2 * 6.98e9 * 8192 / 989.4e12;  // of the layers' matrices
  EXPECT_GT(llama->layers(8192).seconds(), least);
  EXPECT_LT(llama->layers(8192).seconds(), 2 * least);
  EXPECT_GT(llama->chunk(1024, 7168), llama->chunk(1024, 0));
  EXPECT_LT(llama->chunk(1024, 7168), llama->chunk(8192, 0));
}

TEST(ForwardPass, FewTokensReadFewExperts) {
  const Pass mixture = pass_of(inputs_of("qwen3-30b-a3b"));
  // Of 128 experts, 1 token reads 8 and 64 tokens read 126.
  EXPECT_LT(mixture->layers(1).seconds(), 0.5 * mixture->layers(64).seconds());
}

TEST(ForwardPass, AllReducesHaveTheTimesOfTheEngine) {
  PassInputs inputs = inputs_of("llama-3.1-8b", 2);
  inputs.all_reduce = all_reduce_curve("h100-sxm", Engine::vllm, 2);
  const Pass half = pass_of(inputs);
  const PassCount count = half->layers(128);
  EXPECT_EQ(count.collectives, 2 * 32 + 1);  // and the embedding
  EXPECT_NEAR(count.collective_seconds, 65 * inputs.all_reduce(128 * 4096 * 2) * 1e-6, 1e-9);
}

TEST(ForwardPass, SharedExpertsAreSummedWithTheOthers) {
  PassInputs inputs = inputs_of("deepseek-v3", 8);
  inputs.all_reduce = all_reduce_curve("h100-sxm", Engine::vllm, 8);
  EXPECT_EQ(pass_of(inputs)->layers(64).collectives, 2 * 61 + 1);
}

TEST(ForwardPass, OverlapShortensKernelsByAtMostHalf) {
  PassInputs inputs = inputs_of("llama-3.1-8b");
  const double alone = pass_of(inputs)->layers(8).seconds();
  inputs.captured = 64;
  inputs.overlap = us(1);
  const PassCount some = pass_of(inputs)->layers(8);
  EXPECT_NEAR(some.seconds(), alone - 1e-6 * static_cast<double>(some.kernels), 1e-5);
  inputs.overlap = us(1'000'000);
  EXPECT_NEAR(pass_of(inputs)->layers(8).seconds(), alone / 2, 1e-9);
}

TEST(ForwardPass, OnlyKernelsOfCapturedPassesOverlap) {
  PassInputs inputs = inputs_of("llama-3.1-8b");
  inputs.captured = 64;
  const Pass alone = pass_of(inputs);
  inputs.overlap = us(1);
  const Pass overlapped = pass_of(inputs);
  EXPECT_LT(overlapped->layers(64).seconds(), alone->layers(64).seconds());
  EXPECT_EQ(overlapped->layers(65).seconds(), alone->layers(65).seconds());
  EXPECT_LT(overlapped->decode(64, 1000), alone->decode(64, 1000));
  EXPECT_EQ(overlapped->decode(65, 1000), alone->decode(65, 1000));
  EXPECT_EQ(overlapped->mixed_decode(64, 1000), alone->mixed_decode(64, 1000));
  EXPECT_EQ(overlapped->chunk(8, 0), alone->chunk(8, 0));
  EXPECT_EQ(overlapped->head(8).seconds(), alone->head(8).seconds());
}

TEST(ForwardPass, DistributedExpertsHaveFullProducts) {
  PassInputs inputs = inputs_of("qwen3-30b-a3b", 4);
  const Pass parts = pass_of(inputs);
  inputs.experts_over_tp = true;
  const Pass experts = pass_of(inputs);
  // As many FLOPs, in a quarter of the products.

  EXPECT_LT(experts->layers(16384).seconds(), parts->layers(16384).seconds());
  EXPECT_EQ(experts->layers(512).kernels, parts->layers(512).kernels);
  EXPECT_EQ(experts->layers(512).collectives, parts->layers(512).collectives);
  EXPECT_EQ(experts->weight_bytes(), parts->weight_bytes());
}

TEST(ForwardPass, EnginesComputeExpertsInOneCall) {
  PassInputs inputs = inputs_of("qwen3-30b-a3b", 4, "b200");
  const Pass training = pass_of(inputs);
  inputs.experts = ExpertTimes::of("b200", Engine::vllm, "bf16");
  const Pass engine = pass_of(inputs);
  const ExpertShape shape{64, 2048, 768, 8, 128, 4, 1};
  const double experts = 48 * inputs.experts(shape);
  EXPECT_GT(engine->layers(64).kernel_seconds, experts);
  EXPECT_LT(engine->layers(64).kernel_seconds, experts + 0.5 * training->layers(64).kernel_seconds);
  EXPECT_EQ(engine->layers(64).collectives, training->layers(64).collectives);
  EXPECT_EQ(engine->weight_bytes(), training->weight_bytes());
}

TEST(ForwardPass, LatentProductsMayBeIn16Bits) {
  PassInputs inputs = inputs_of("deepseek-v3", 8, "b200");
  EXPECT_TRUE(workload::set(inputs.spec, "precision.products", "fp4"));
  const Pass small = pass_of(inputs);
  inputs.plain_latent_products = true;
  const Pass plain = pass_of(inputs);
  // Weights of attention on a device: the two down projections, and an eighth of the others.
  const double each =
      7168.0 * (1536 + 576) + (1536.0 * 128 * 192 + 512.0 * 128 * 256 + 128.0 * 128 * 7168) / 8;
  EXPECT_NEAR(static_cast<double>(plain->weight_bytes() - small->weight_bytes()),
              61 * each * (2 - 0.5625), 1e6);
}

TEST(ForwardPass, HostsLaunchStepsOutsideOfGraphs) {
  PassInputs inputs = inputs_of("llama-3.1-8b");
  EXPECT_EQ(pass_of(inputs)->launch_seconds(), 0);
  inputs.launch = us(10);
  const Pass pass = pass_of(inputs);
  const PassCount layers = pass->layers(1024), head = pass->head(1);
  EXPECT_NEAR(pass->launch_seconds(),
              1e-5 * static_cast<double>(layers.kernels + head.kernels + 32), 1e-12);
  EXPECT_EQ(pass->eager_layers(512).seconds(), pass->layers(512).seconds())
      << "nothing is captured";
}

TEST(ForwardPass, FewRowsTakeNoLongerThanATile) {
  PassInputs inputs = inputs_of("llama-3.1-70b", 1, "b200");
  EXPECT_TRUE(workload::set(inputs.spec, "precision.products", "fp4"));
  const Pass pass = pass_of(inputs);
  for (const std::int64_t tokens : {1, 4, 16, 48})
    EXPECT_LE(pass->layers(tokens).seconds(), 1.02 * pass->layers(64).seconds()) << tokens;
}

TEST(ForwardPass, MixedStepsOfFlashAttention2ComputeTilesOfQueries) {
  PassInputs inputs = inputs_of("llama-3.1-8b", 1, "rtx-4090");
  EXPECT_EQ(pass_of(inputs)->mixed_decode(32, 1000), pass_of(inputs)->decode(32, 1000));
  inputs.mixed_rows = 64;
  EXPECT_GT(pass_of(inputs)->mixed_decode(32, 1000), 1.2 * pass_of(inputs)->decode(32, 1000));
}

TEST(ForwardPass, RefusesWhatIsNotServed) {
  for (const char* model : {"bert-large", "t5-11b"}) {
    const auto made = ForwardPass::make(inputs_of(model));
    ASSERT_FALSE(made) << model;
    EXPECT_EQ(made.error().code, Errc::input_unsupported);
  }
}

}  // namespace
}  // namespace orrery::serving
