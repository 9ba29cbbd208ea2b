// SPDX-License-Identifier: Apache-2.0
#include "orrery/bench/obfuscate.h"

#include <gmock/gmock.h>

#include "orrery/bench/bench_testing.h"
#include "orrery/bench/plan_text.h"
#include "orrery/bench/plan_work.h"
#include "orrery/bench/sizes.h"

namespace orrery::bench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
constexpr std::string_view kView = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)";
constexpr std::string_view kCat = "aten::cat(Tensor[] tensors, int dim=0) -> Tensor";

FakeOperators with_views() {
  return FakeOperators({{std::string(kRelu), true, false},
                        {std::string(kAddmm), true, false},
                        {std::string(kEmbedding), true, false},
                        {std::string(kCat), true, false},
                        {std::string(kView), true, false}});
}

/// [20,24] × [24,40], seen as [20,2,20], and its relu.
Result<Plan> product_and_view() {
  const NodeLine addmm{
      5,
      "aten::addmm",
      kAddmm,
      "[" + tensor(1, 1, 40) + "," + tensor(2, 2, 480) + "," + tensor(3, 3, 960) + ",1,1]",
      "[[40],[20,24],[24,40],[],[]]",
      R"j(["Tensor(float)","Tensor(float)","Tensor(float)","Int","Int"])j",
      "[" + tensor(4, 4, 800) + "]",
      "[[20,40]]",
      R"j(["Tensor(float)"])j"};
  const NodeLine view{6,
                      "aten::view",
                      kView,
                      "[" + tensor(4, 4, 800) + ",[20,2,20]]",
                      "[[20,40],[[],[],[]]]",
                      R"j(["Tensor(float)","GenericList[Int,Int,Int]"])j",
                      "[" + tensor(5, 4, 800) + "]",
                      "[[20,2,20]]",
                      R"j(["Tensor(float)"])j"};
  NodeLine relu = relu_node(7, 5, 4, 6, 6);
  relu.input_shapes = relu.output_shapes = "[[20,2,20]]";
  return plan_of({addmm, view, relu}, with_views());
}

TEST(BenchSizes, ProductsFollowTheirFactors) {
  const auto plan = product_and_view();
  ASSERT_TRUE(plan) << to_string(plan.error());
  const Sizes sizes(*plan);
  EXPECT_THAT(sizes.all(), ElementsAre(2, 20, 24, 40));
  EXPECT_THAT(sizes.free(), ElementsAre(2, 20, 24)) << "40 is 2 times 20";
  const auto other = sizes.with({{20, 21}, {24, 26}});
  ASSERT_TRUE(other);
  const std::string text = plan_text(*other);
  EXPECT_THAT(text, HasSubstr("float [21,42] []"));
  EXPECT_THAT(text, HasSubstr("i[21,2,21]) -> 0 %4 float [21,2,21]"));
  EXPECT_EQ(other->storages[1].bytes, 21 * 26 * 4);
  EXPECT_EQ(other->groups[0], 21 * 42 * 4);
  EXPECT_DOUBLE_EQ(work_of(*plan).flops, 2 * 20 * 24 * 40);
  EXPECT_DOUBLE_EQ(work_of(*other).flops, 2 * 21 * 26 * 42);
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
  EXPECT_FALSE(sizes.with({{24, 27}}));
  const auto both = sizes.with({{24, 27}, {16, 18}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->externals[0].spec.sizes[0], 54);
}

TEST(BenchSizes, StridesAndOffsetsAreThoseOfTheNewSizes) {
  Plan plan;
  plan.slots = 1;
  // The second half of rows of 40, transposed.
  const TensorSpec half{Dtype::real32, {20, 24}, {1, 40}, 20};
  const TensorSpec whole{Dtype::real32, {24, 40}, {40, 1}, 0};
  plan.info = {{half, 0, kNoGroup}, {whole, 0, kNoGroup}};
  plan.slots = 2;
  plan.storages = {{24 * 40 * 4, Dtype::real32}};
  plan.externals = {{0, 0, half}, {1, 0, whole}};
  const auto made = Sizes(plan).with({{20, 22}, {24, 25}, {40, 44}});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->externals[0].spec.sizes, ElementsAre(22, 25));
  EXPECT_THAT(made->externals[0].spec.strides, ElementsAre(1, 44));
  EXPECT_EQ(made->externals[0].spec.offset, 22);
  EXPECT_EQ(made->storages[0].bytes, 25 * 44 * 4);
}

/// Bad are steps whose plan is none that `good` likes.
Trial agreeing(const std::function<bool(const Step&)>& good) {
  return [good](const Plan& plan) -> Result<std::vector<bool>> {
    std::vector<bool> bad;
    for (const Step& step : plan.steps) bad.push_back(!good(step));
    return bad;
  };
}

TEST(BenchObfuscate, SizesAreOthersAndNear) {
  const auto plan = product_and_view();
  ASSERT_TRUE(plan);
  const Trial trial = agreeing([](const Step&) { return true; });
  Plan one = *plan, same = *plan, salted = *plan;
  const auto told = obfuscate_sizes(one, "", kPlenty, trial);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->sizes, 3u);
  EXPECT_EQ(told->changed, 3u);
  for (const SlotInfo& info : one.info) {
    const auto& old = plan->info[static_cast<std::size_t>(&info - one.info.data())].spec.sizes;
    for (std::size_t d = 0; d < old.size(); ++d)
      EXPECT_NEAR(static_cast<double>(info.spec.sizes[d]) / static_cast<double>(old[d]), 1, 1. / 16);
  }
  EXPECT_NEAR(told->flops, work_of(one).flops / work_of(*plan).flops, 1e-9);
  EXPECT_THAT(told->bytes, AllOf(Ge(0.88), Le(1.13)));
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
  // Whatever is 24 has to be: only 20, and so 40, can be others.
  Plan some = *plan;
  const auto told = obfuscate_sizes(some, "", kPlenty, [](const Plan& tried) {
    const bool kept = tried.info[1].spec.sizes[1] == 24;
    return Result<std::vector<bool>>(std::vector<bool>(tried.steps.size(), !kept));
  });
  ASSERT_TRUE(told);
  EXPECT_EQ(told->changed, 2u);
  EXPECT_EQ(some.info[1].spec.sizes[1], 24);
  // What did not work before need not work now.
  Plan broken = *plan;
  const auto none =
      obfuscate_sizes(broken, "", kPlenty, agreeing([](const Step&) { return false; }));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->changed, 3u);
  Plan small = *plan;
  EXPECT_EQ(obfuscate_sizes(small, "", 1, agreeing([](const Step&) { return true; }))->changed, 0u);
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
  Plan salted = *product_and_view();
  obfuscate_names(salted, "secret");
  EXPECT_NE(salted.sources[0].name, plan->sources[0].name);
}

}  // namespace
}  // namespace orrery::bench
