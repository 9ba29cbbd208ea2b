// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/measured/all_reduce_times.h"

#include <gtest/gtest.h>

namespace orrery::serving {
namespace {

TEST(AllReduceCurve, HasTheMeasuredTimesAtItsPoints) {
  // AIConfigurator, h100_sxm, vLLM 0.24, captured in a CUDA graph.
  const model::SizeCurve curve = all_reduce_curve("h100-sxm", Engine::vllm, 2);
  EXPECT_NEAR(curve(1 << 20), 8.34, 1e-3);
  EXPECT_NEAR(curve(1 << 21), 12.38, 1e-3);
  EXPECT_GT(curve(1500 * 1024), curve(1 << 20));
  EXPECT_EQ(curve(1), curve(256)) << "below the first size its time";
  EXPECT_NEAR(curve(1ll << 30) / curve(1 << 26), 16, 0.5) << "above the last one its rate";
}

TEST(AllReduceCurve, IsEmptyWhereNothingWasMeasured) {
  EXPECT_TRUE(all_reduce_curve("h100-sxm", Engine::vllm, 3).empty());
  EXPECT_TRUE(all_reduce_curve("h100", Engine::vllm, 2).empty());
  EXPECT_FALSE(all_reduce_curve("b200", Engine::trtllm, 8).empty());
}

}  // namespace
}  // namespace orrery::serving
