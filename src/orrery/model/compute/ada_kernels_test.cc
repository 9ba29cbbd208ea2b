// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/learned/learned_model.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

struct Answer {
  TimeSource source = TimeSource::none;
  double seconds = 0;
};

/// What `auto` answers for a kernel on a device of the catalog.
Answer answer(std::string_view device, std::string_view kernel) {
  const std::vector<NamedKernelModel> models = kernel_models({});
  const auto chosen =
      choose_time(models, *graph::parse_kernel(kernel), silicon_of(*platform::find_device(device)));
  EXPECT_TRUE(chosen) << kernel << " on " << device;
  return chosen ? Answer{chosen->time.source, chosen->time.seconds} : Answer{};
}

constexpr std::string_view kLong = "gemm forward bf16,bf16>bf16 m=16384 n=8192 k=8192 transposed_b";
constexpr double kLongFlops = 2.0 * 16384 * 8192 * 8192;

double rate(std::string_view device) { return kLongFlops / answer(device, kLong).seconds; }

// Its trees are those of its own tables; no other Ada device has tables.
TEST(Ada, AnL40SIsLearnedAndItsRelativesFollowTheHeuristic) {
  ASSERT_NE(LearnedModel::built_in_ada(), nullptr);
  EXPECT_TRUE(is_seen(*LearnedModel::built_in_ada()->find(KernelClass::gemm_bf16),
                      silicon_of(*platform::find_device("l40s"))));
  EXPECT_EQ(answer("l40s", kLong).source, TimeSource::learned);
  for (const char* relative : {"l4", "l20", "l40", "rtx-6000-ada"})
    EXPECT_EQ(answer(relative, kLong).source, TimeSource::heuristic) << relative;
  EXPECT_EQ(answer("h100-sxm", kLong).source, TimeSource::learned) << "not Ada";
}

// The median of measured products of 2 TFLOP and more is 197 TFLOP/s, with 350 W. Devices with the
// same chip and 300 W are slower. An L40 has half the rate per clock and is slower still, but
// reaches more of its peak.
TEST(Ada, PowerLimitsLongProducts) {
  EXPECT_NEAR(rate("l40s") / 197e12, 1, 0.15);
  EXPECT_LT(rate("rtx-6000-ada"), 215e12);
  EXPECT_GT(rate("rtx-6000-ada"), 160e12);
  EXPECT_LT(rate("l40"), rate("rtx-6000-ada"));
  EXPECT_GT(rate("l40") / 181.05e12, 0.6);
  EXPECT_LE(rate("l20") / 119.5e12, 0.95);
}

// Attention is a product, too.
TEST(Ada, PowerLimitsAttention) {
  constexpr std::string_view kAttention =
      "attention forward bf16,bf16>bf16 batch=4 heads=32 kv_heads=8 queries=8192 keys=8192 "
      "key_dim=128 value_dim=128 causal";
  const double l40s = answer("l40s", kAttention).seconds;
  EXPECT_GT(answer("l40", kAttention).seconds, l40s);
  EXPECT_LT(answer("l40", kAttention).seconds, 2 * l40s) << "half the peak, but more of it";
}

}  // namespace
}  // namespace orrery::model
