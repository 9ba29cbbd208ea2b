// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/format_peaks.h"

#include <gtest/gtest.h>

#include "orrery/result/run.h"

namespace orrery::analysis {
namespace {

constexpr Time kTenSeconds{10'000'000'000'000};

/// 9 PFLOP in fp8 at 2 PFLOP/s and 1 PFLOP in bf16 at 1 PFLOP/s: 5.5 s at peak.
std::vector<FormatWork> mixed() { return {{"fp8", 9e15, 10e15, 2e15}, {"bf16", 1e15, 1e15, 1e15}}; }

TEST(FormatPeaks, WeighFormatsByTheirTimeAtPeak) {
  const auto use = format_utilization(mixed(), kTenSeconds, 1, 1e15);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->mfu, 0.55);
  EXPECT_DOUBLE_EQ(use->hfu, 0.6);
  EXPECT_DOUBLE_EQ(use->peak, 10e15 / 5.5);
  EXPECT_EQ(use->formats, "fp8 90.0 %, bf16 10.0 %");
  EXPECT_DOUBLE_EQ(format_utilization(mixed(), kTenSeconds, 2, 1e15)->mfu, 0.275);
}

TEST(FormatPeaks, AreOmittedIfTheyAreTheReference) {
  const std::vector<FormatWork> bf16 = {{"bf16", 1e15, 1e15, 1e15}};
  EXPECT_FALSE(format_utilization(bf16, kTenSeconds, 1, 1e15));
  const auto of_fp8 = format_utilization(bf16, kTenSeconds, 1, 2e15);
  ASSERT_TRUE(of_fp8);
  EXPECT_EQ(of_fp8->formats, "bf16");
  EXPECT_FALSE(format_utilization({}, kTenSeconds, 1, 1e15));
  EXPECT_FALSE(format_utilization(mixed(), Time{}, 1, 1e15));
  EXPECT_FALSE(
      format_utilization(std::vector<FormatWork>{{"fp8", 1e15, 1e15, 0}}, kTenSeconds, 1, 1e15));
}

TEST(FormatPeaks, SurviveTheManifest) {
  EXPECT_EQ(parse_work_by_format(to_fact(mixed())), mixed());
  result::Run run;
  run.step = kTenSeconds;
  run.peak_flops = 1e15;
  run.ranks.resize(1);
  EXPECT_FALSE(format_utilization(run));
  run.manifest.emplace_back(kWorkByFormat, to_fact(mixed()));
  ASSERT_TRUE(format_utilization(run));
  EXPECT_DOUBLE_EQ(format_utilization(run)->mfu, 0.55);
  run.stalled = true;
  EXPECT_FALSE(format_utilization(run));
}

TEST(FormatPeaks, OfDamagedManifestsAreOmitted) {
  for (const char* text : {"fp8", "fp8 1 2", "fp8 1 2 3 4", "fp8 1 2 x", "fp8 -1 2 3", " 1 2 3",
                           "fp8 1 2 inf", "fp8 1 2 3; bf16"})
    EXPECT_TRUE(parse_work_by_format(text).empty()) << text;
}

}  // namespace
}  // namespace orrery::analysis
