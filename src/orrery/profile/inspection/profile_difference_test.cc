// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/profile_difference.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// `steps` iterations of 100 us with one kernel of `length` each, and one called `extra` at the
/// end.
Inspection trace(int steps, std::int64_t length, const char* extra) {
  Maker make;
  const auto main = make.thread(1);
  const auto stream = make.stream(7);
  for (int i = 0; i < steps; ++i) {
    make.annotation(main, "ProfilerStep#" + std::to_string(i), 100 * i, 100);
    make.kernel(stream, "gemm", 100 * i + 10, length);
    make.kernel(stream, "same", 100 * i + 80, 5);
  }
  make.kernel(stream, extra, 100 * steps - 10, 4);
  return inspect(make.take());
}

TEST(ProfileDifference, CountsPerIteration) {
  const ProfileDifference d = difference(trace(2, 20, "old"), trace(4, 35, "new"));
  EXPECT_TRUE(d.per_iteration);
  EXPECT_EQ(d.a.length, us(100));
  EXPECT_EQ(d.b.compute_only, us(41));
  ASSERT_EQ(d.changed.size(), 1u);
  EXPECT_EQ(d.changed[0].name, "gemm");
  EXPECT_EQ(d.changed[0].difference(), us(15));
  EXPECT_EQ(d.changed[0].count_b, 1.0);
  ASSERT_EQ(d.added.size(), 1u);
  EXPECT_EQ(d.added[0].name, "new");
  EXPECT_EQ(d.added[0].time_b, us(1));
  ASSERT_EQ(d.gone.size(), 1u);
  EXPECT_EQ(d.gone[0].time_a, us(2));
  EXPECT_EQ(d.same, 1u);
}

/// An operator that launches a kernel, in a step with this number.
Inspection launching(const char* kernel, std::int64_t length, std::int64_t step) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "ProfilerStep#" + std::to_string(step), 0, 100);
  make.op(main, "aten::mm", 10, 10);
  make.call(main, "cudaLaunchKernel", 12, 2, 5);
  make.kernel(make.stream(7), kernel, 20, length, 5);
  Profile profile = make.take();
  Findings findings;
  attach(profile, findings);
  return inspect(profile);
}

TEST(ProfileDifference, KernelsOfOtherNamesCompareByTheirOperator) {
  const ProfileDifference d =
      difference(launching("sm90_gemm", 40, 6), launching("Cijk_gemm", 60, 7));
  ASSERT_EQ(d.launched.size(), 1u);
  EXPECT_EQ(d.launched[0].name, "aten::mm");
  EXPECT_EQ(d.launched[0].time_a, us(40));
  EXPECT_EQ(d.launched[0].difference(), us(20));
  ASSERT_EQ(d.added.size(), 1u) << "the step is in both, whatever its number";
  EXPECT_EQ(d.added[0].name, "Cijk_gemm");
  ASSERT_EQ(d.gone.size(), 1u);
}

TEST(ProfileDifference, OfATraceWithItselfIsNothing) {
  const Inspection one = trace(3, 20, "x");
  const ProfileDifference d = difference(one, one);
  EXPECT_TRUE(d.added.empty() && d.gone.empty() && d.changed.empty());
  EXPECT_EQ(d.same, 3u);
}

}  // namespace
}  // namespace orrery::profile
