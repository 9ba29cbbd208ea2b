// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/all_reduce_times.h"

#include <gtest/gtest.h>

namespace orrery::serving {
namespace {

TEST(AllReduceCurve, HasTheMeasuredTimesAtItsPoints) {
  // AIConfigurator, h100_sxm, vLLM 0.24, captured in a CUDA graph.
  const AllReduceCurve curve = all_reduce_curve("h100-sxm", Engine::vllm, 2);
  EXPECT_NEAR(curve.at(1 << 20), 8.34e-6, 1e-9);
  EXPECT_NEAR(curve.at(1 << 21), 12.38e-6, 1e-9);
  EXPECT_GT(curve.at(1500 * 1024), curve.at(1 << 20));
  EXPECT_EQ(curve.at(1), curve.at(256)) << "below the first size its time";
  EXPECT_NEAR(curve.at(1ll << 30), 16 * curve.at(1 << 26), 1e-12) << "above the last one its rate";
}

TEST(AllReduceCurve, IsEmptyWhereNothingWasMeasured) {
  EXPECT_TRUE(all_reduce_curve("h100-sxm", Engine::vllm, 3).bytes.empty());
  EXPECT_TRUE(all_reduce_curve("h100", Engine::vllm, 2).bytes.empty());
  EXPECT_FALSE(all_reduce_curve("b200", Engine::trtllm, 8).bytes.empty());
}

}  // namespace
}  // namespace orrery::serving
