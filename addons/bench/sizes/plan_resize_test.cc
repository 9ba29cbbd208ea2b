// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/sizes/plan_resize.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/plan/replay_work.h"
#include "addons/bench/sizes/sizes_testing.h"

namespace orrery::bench {
namespace {

using ::testing::HasSubstr;

TEST(BenchResize, ChangesAreReadOrRefused) {
  const auto two = parse_size_changes("128=32,7=1");
  ASSERT_TRUE(two);
  EXPECT_EQ(*two, (SizeChanges{{128, 32}, {7, 1}}));
  for (const char* text : {"128", "128=", "=32", "a=3", "128=0", "1=2", "128=-4", "8=4,8=2", ","}) {
    const auto wrong = parse_size_changes(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_EQ(wrong.error().code, Errc::usage);
  }
}

TEST(BenchResize, WorkFollowsTheSizes) {
  auto plan = product_and_view();
  ASSERT_TRUE(plan);
  const PlanWork before = work_of(*plan);
  const auto made = resize(*plan, {{200, 50}}, kPlenty,
                           agreeing([](const ReplayStep& /*step*/) { return true; }));
  ASSERT_TRUE(made) << to_string(made.error());
  // 200 is a batch and, as 400 is twice that, half of a width.
  EXPECT_DOUBLE_EQ(made->flops, 1.0 / 16);
  EXPECT_DOUBLE_EQ(work_of(*plan).flops, before.flops / 16);
  EXPECT_THAT(plan_text(*plan), HasSubstr("i[50,2,50]) -> 0 %4 float [50,2,50]"));
}

TEST(BenchResize, WhatCannotBeIsSaidAndLeavesThePlan) {
  const auto all_agree = agreeing([](const ReplayStep& /*step*/) { return true; });
  const auto refused = [&](const SizeChanges& changes, std::int64_t limit, const Trial& trial) {
    auto plan = product_and_view();
    EXPECT_TRUE(plan);
    const std::string before = plan_text(*plan);
    const auto made = resize(*plan, changes, limit, trial);
    EXPECT_FALSE(made);
    EXPECT_EQ(plan_text(*plan), before);
    return made ? std::string() : to_string(made.error());
  };
  EXPECT_THAT(refused({{128, 32}}, kPlenty, all_agree),
              HasSubstr("the sizes are 2, 200, 240, 400"));
  EXPECT_THAT(refused({{400, 100}}, kPlenty, all_agree), HasSubstr("400 is 2 x 200"));
  EXPECT_THAT(refused({{200, 50}}, 1000, all_agree), HasSubstr("E4000"));
  // Whatever is 240 has to be; and what did not work before need not work now.
  const Trial needs_240 = [](const ReplayPlan& tried) {
    std::vector<bool> bad(tried.steps.size(), false);
    bad[0] = tried.info[1].spec.sizes[1] != 240;
    bad[1] = true;
    return Result<std::vector<bool>>(bad);
  };
  EXPECT_THAT(refused({{240, 60}}, kPlenty, needs_240),
              HasSubstr("aten::addmm (step 1) does not accept the new sizes"));
  auto plan = product_and_view();
  EXPECT_TRUE(resize(*plan, {{200, 50}}, kPlenty, needs_240));
}

}  // namespace
}  // namespace orrery::bench
