// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/sizes/plan_obfuscation.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/plan/replay_work.h"
#include "addons/bench/sizes/sizes.h"
#include "addons/bench/sizes/sizes_testing.h"

namespace orrery::bench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

TEST(BenchSizes, ProductsFollowTheirFactors) {
  const auto plan = product_and_view();
  ASSERT_TRUE(plan) << to_string(plan.error());
  const Sizes sizes(*plan);
  EXPECT_THAT(sizes.all(), ElementsAre(2, 200, 240, 400));
  EXPECT_THAT(sizes.free_sizes(), ElementsAre(2, 200, 240)) << "400 is 2 times 200";
  const auto other = sizes.resized({{200, 210}, {240, 260}});
  ASSERT_TRUE(other);
  const std::string text = plan_text(*other);
  EXPECT_THAT(text, HasSubstr("float [210,420] []"));
  EXPECT_THAT(text, HasSubstr("i[210,2,210]) -> 0 %4 float [210,2,210]"));
  EXPECT_EQ(other->storages[1].bytes, 210 * 260 * 4);
  EXPECT_EQ(other->group_bytes[0], 210 * 420 * 4);
  EXPECT_DOUBLE_EQ(work_of(*plan).flops, 2. * 200 * 240 * 400);
  EXPECT_DOUBLE_EQ(work_of(*other).flops, 2. * 210 * 260 * 420);
}

// 48 is 2·24 to one view and 3·16 to another: only both can change.
TEST(BenchSizes, ProductsAreOneThing) {
  const auto split = [](int id, int out, const std::string& sizes) {
    return NodeLine{id,
                    "aten::view",
                    kView,
                    "[" + tensor(1, 1, 48) + "," + sizes + "]",
                    "[[48],[[],[]]]",
                    R"j(["Tensor(float)","GenericList[Int,Int]"])j",
                    "[" + tensor(out, 1, 48) + "]",
                    "[" + sizes + "]",
                    R"j(["Tensor(float)"])j"};
  };
  const auto plan = plan_of({split(5, 2, "[2,24]"), split(6, 3, "[3,16]")}, with_views());
  ASSERT_TRUE(plan);
  const Sizes sizes(*plan);
  EXPECT_FALSE(sizes.resized({{24, 27}}));
  const auto both = sizes.resized({{24, 27}, {16, 18}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->externals[0].spec.sizes[0], 54);
}

TEST(BenchSizes, StridesAndOffsetsAreThoseOfTheNewSizes) {
  ReplayPlan plan;
  plan.slots = 1;
  // The second half of rows of 40, transposed.
  const TensorSpec half{Dtype::real32, {20, 24}, {1, 40}, 20};
  const TensorSpec whole{Dtype::real32, {24, 40}, {40, 1}, 0};
  plan.info = {{half, 0, kNoGroup}, {whole, 0, kNoGroup}};
  plan.slots = 2;
  plan.storages = {{24 * 40 * 4, Dtype::real32}};
  plan.externals = {{0, 0, half}, {1, 0, whole}};
  const auto made = Sizes(plan).resized({{20, 22}, {24, 25}, {40, 44}});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->externals[0].spec.sizes, ElementsAre(22, 25));
  EXPECT_THAT(made->externals[0].spec.strides, ElementsAre(1, 44));
  EXPECT_EQ(made->externals[0].spec.offset, 22);
  EXPECT_EQ(made->storages[0].bytes, 25 * 44 * 4);
}

TEST(BenchObfuscate, SizesAreOthersAndNear) {
  const auto plan = product_and_view();
  ASSERT_TRUE(plan);
  const Trial trial = agreeing([](const ReplayStep&) { return true; });
  ReplayPlan one = *plan, same = *plan, salted = *plan;
  const auto predicted = obfuscate_sizes(one, "", kPlenty, trial);
  ASSERT_TRUE(predicted);
  EXPECT_EQ(predicted->sizes, 3u);
  EXPECT_EQ(predicted->changed, 3u);
  for (const SlotInfo& info : one.info) {
    const auto& old = plan->info[static_cast<std::size_t>(&info - one.info.data())].spec.sizes;
    for (std::size_t d = 0; d < old.size(); ++d)
      EXPECT_NEAR(static_cast<double>(info.spec.sizes[d]) / static_cast<double>(old[d]), 1,
                  1. / 16);
  }
  EXPECT_NEAR(predicted->work.flops, work_of(one).flops / work_of(*plan).flops, 1e-9);
  EXPECT_THAT(predicted->work.bytes, AllOf(Ge(0.88), Le(1.13)));
  ASSERT_TRUE(obfuscate_sizes(same, "", kPlenty, trial));
  EXPECT_EQ(plan_text(one), plan_text(same));
  bool differs = false;
  for (const char* salt : {"a", "b", "c", "d"}) {
    salted = *plan;
    ASSERT_TRUE(obfuscate_sizes(salted, salt, kPlenty, trial));
    differs = differs || plan_text(salted) != plan_text(one);
  }
  EXPECT_TRUE(differs);
}

TEST(BenchObfuscate, WhatOperatorsRefuseStays) {
  const auto plan = product_and_view();
  ASSERT_TRUE(plan);
  // Whatever is 240 has to be: only 200, and so 400, can be others.
  ReplayPlan some = *plan;
  const auto predicted = obfuscate_sizes(some, "", kPlenty, [](const ReplayPlan& tried) {
    const bool retained = tried.info[1].spec.sizes[1] == 240;
    return Result<std::vector<bool>>(std::vector<bool>(tried.steps.size(), !retained));
  });
  ASSERT_TRUE(predicted);
  EXPECT_EQ(predicted->changed, 2u);
  EXPECT_EQ(some.info[1].spec.sizes[1], 240);
  // What did not work before need not work now.
  ReplayPlan broken = *plan;
  const auto none =
      obfuscate_sizes(broken, "", kPlenty, agreeing([](const ReplayStep&) { return false; }));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->changed, 3u);
  ReplayPlan small = *plan;
  EXPECT_EQ(
      obfuscate_sizes(small, "", 1, agreeing([](const ReplayStep&) { return true; }))->changed, 0u);
}

TEST(BenchObfuscate, NamesAreOthersButWhatIsCalled) {
  auto plan = product_and_view();
  ASSERT_TRUE(plan);
  obfuscate_names(*plan, "");
  const std::string text = plan_text(*plan);
  EXPECT_THAT(text, HasSubstr("# op_"));
  EXPECT_THAT(text, HasSubstr("operation 0 aten::addmm"));
  EXPECT_THAT(text, Not(HasSubstr("# aten::addmm")));
  EXPECT_EQ(plan->sources[0].record_function, 0u);
  ReplayPlan salted = *product_and_view();
  obfuscate_names(salted, "secret");
  EXPECT_NE(salted.sources[0].name, plan->sources[0].name);
}

}  // namespace
}  // namespace orrery::bench
