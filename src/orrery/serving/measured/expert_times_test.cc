// SPDX-License-Identifier: Apache-2.0
//
// Times of experts against rows of the tables to which they were fitted. Under 1 CPU second.
#include "orrery/serving/measured/expert_times.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::serving {
namespace {

/// DeepSeek-V3's experts on 8 devices that share each of them.
ExpertShape deepseek(std::int64_t tokens) { return {tokens, 7168, 2048, 8, 256, 8, 1}; }

TEST(ExpertTimes, AreNearMeasuredKernels) {
  // AIConfigurator, moe_b200_sxm_vllm and moe_b200_sxm_sglang, DeepSeek-V3's experts on 8 devices.
  // The fit has 16 models; few of its errors are above a half.
  struct Row {
    Engine engine;
    const char* format;
    std::int64_t tokens;
    double us;
  };
  const Row rows[] = {
      {Engine::vllm, "fp8_block", 1, 37.9},   {Engine::vllm, "fp8_block", 16, 88.6},
      {Engine::vllm, "fp8_block", 64, 160.7}, {Engine::vllm, "fp8_block", 256, 225.2},
      {Engine::sglang, "fp8_block", 4, 49.7}, {Engine::sglang, "fp8_block", 64, 176.7},
      {Engine::vllm, "nvfp4", 4, 27.4},       {Engine::vllm, "nvfp4", 64, 103.4},
      {Engine::vllm, "nvfp4", 128, 132.7},    {Engine::sglang, "nvfp4", 16, 54.9}};
  double sum = 0;
  for (const Row& row : rows) {
    const double ratio =
        ExpertTimes::of("b200", row.engine, row.format)(deepseek(row.tokens)) * 1e6 / row.us;
    EXPECT_NEAR(ratio, 1, 0.45) << row.format << ' ' << row.tokens;
    sum += std::abs(ratio - 1);
  }
  EXPECT_LT(sum / 10, 0.25);
}

TEST(ExpertTimes, GrowWithTokensAndShrinkWithDevices) {
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm, Engine::static_batches})
    for (const char* device : {"h100-sxm", "b200", "b300", "gb200", "gb300"})
      for (const char* format : {"bf16", "fp8_block", "nvfp4"}) {
        const ExpertTimes times = ExpertTimes::of(device, engine, format);
        ASSERT_FALSE(times.empty()) << device << ' ' << format;
        double before = 0;
        for (std::int64_t tokens = 1; tokens <= 16384; tokens *= 4) {
          EXPECT_GT(times(deepseek(tokens)), before) << device << ' ' << format;
          before = times(deepseek(tokens));
        }
        ExpertShape shared = deepseek(64), divided = deepseek(64);
        shared.parts = 16;
        divided.parts = 1;
        divided.devices = 16;
        EXPECT_LT(times(shared), times(deepseek(64)));
        EXPECT_LT(times(divided), times(deepseek(64)));
      }
}

TEST(ExpertTimes, AreEmptyWhereNothingWasMeasured) {
  EXPECT_TRUE(ExpertTimes::of("a100-80gb", Engine::vllm, "bf16").empty());
  EXPECT_TRUE(ExpertTimes::of("h100-sxm", Engine::sglang, "fp8").empty());
  EXPECT_TRUE(ExpertTimes::of("b200", Engine::vllm, "mxfp8").empty());
}

}  // namespace
}  // namespace orrery::serving
