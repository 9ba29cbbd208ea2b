// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/planner.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kFloat = R"j(["Tensor(float)"])j";

TEST(BenchPlan, WhatNothingMadeExistsBefore) {
  const auto plan =
      plan_of({relu_node(5, 10, 20, 11, 21), relu_node(6, 11, 21, 12, 22)}, few_operators());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan_text(*plan),
            "orrery benchmark 1\n"
            "slots 3\n"
            "storage 0 128 float uniform 0 1\n"
            "external %0 0 float [32] [] 0\n"
            "operation 0 aten::relu\n"
            "# aten::relu\n"
            "call 0 (%0) -> 0 %1 float [32] [] ; last\n"
            "# aten::relu\n"
            "call 0 (%1) -> 0 %2 float [32] [] ; last %1 %2\n");
  EXPECT_EQ(plan->external_bytes, 128);
  EXPECT_EQ(plan->peak_bytes, 3 * 128);
  EXPECT_EQ(plan->restored_bytes, 0);
}

TEST(BenchPlan, WhatIsWrittenIsRestored) {
  const NodeLine add{5,
                     "aten::add_",
                     kAddInPlace,
                     "[" + tensor(1, 2, 8) + "," + tensor(3, 4, 8) + ",1]",
                     "[[8],[8],[]]",
                     R"j(["Tensor(float)","Tensor(float)","Int"])j",
                     "[" + tensor(1, 2, 8) + "]",
                     "[[8]]",
                     kFloat};
  const auto plan = plan_of({add}, few_operators());
  ASSERT_TRUE(plan);
  ASSERT_THAT(plan->storages, SizeIs(2));
  EXPECT_TRUE(plan->storages[0].written);
  EXPECT_FALSE(plan->storages[1].written);
  EXPECT_EQ(plan->restored_bytes, 32);
}

// Two tensors of one storage are memory that is there once; offsets count elements.
TEST(BenchPlan, StoragesAreShared) {
  NodeLine upper = relu_node(5, 10, 20, 11, 21);
  upper.inputs = "[" + tensor(10, 20, 32, /*offset=*/32) + "]";
  const auto plan = plan_of({upper, relu_node(6, 12, 20, 13, 22)}, few_operators());
  ASSERT_TRUE(plan);
  ASSERT_THAT(plan->storages, SizeIs(1));
  EXPECT_EQ(plan->storages[0].bytes, 256);
  ASSERT_THAT(plan->externals, SizeIs(2));
  EXPECT_EQ(plan->externals[0].spec.offset, 32);
}

// A tensor that no selected operator made sees the storage of one that was made.
TEST(BenchPlan, UnknownTensorsAreViewsOfKnownStorages) {
  NodeLine half = relu_node(6, 99, 21, 12, 22);
  half.inputs = "[" + tensor(99, 21, 16, 16) + "]";
  half.input_shapes = "[[4,4]]";
  const auto plan = plan_of({relu_node(5, 10, 20, 11, 21), half}, few_operators());
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan_text(*plan), HasSubstr("view %2 %1 float [4,4] [] 16 ; last %1\n"));
}

// Addresses come again: a storage that something new was made in is the new one.
TEST(BenchPlan, IdsThatComeAgainAreTheLastOnes) {
  const auto plan = plan_of(
      {relu_node(5, 10, 20, 11, 21), relu_node(6, 10, 20, 15, 21), relu_node(7, 11, 21, 16, 22)},
      few_operators());
  ASSERT_TRUE(plan);
  // %11 is not what node 5 made any more, but sees what node 6 made.
  EXPECT_THAT(plan_text(*plan), HasSubstr("view %3 %2 float [32] [] 0"));
}

// Tensors without a storage are distinguished by their own ids.
TEST(BenchPlan, WithoutAStorageTensorsAreThemselves) {
  const auto plan = plan_of({relu_node(5, 10, 0, 11, 21), relu_node(6, 12, 0, 13, 22),
                             relu_node(7, 10, 0, 14, 23), relu_node(8, 12, 0, 15, 24)},
                            few_operators());
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->externals, SizeIs(2));
  EXPECT_THAT(plan->storages, SizeIs(2));
}

TEST(BenchPlan, LevelsChooseCallersOrTheCalled) {
  const NodeLine linear{
      5,
      "aten::linear",
      kLinear,
      "[" + tensor(1, 2, 32) + "," + tensor(3, 4, 64) + "," + tensor(5, 6, 8) + "]",
      "[[4,8],[8,8],[8]]",
      R"j(["Tensor(float)","Tensor(float)","Tensor(float)"])j",
      "[" + tensor(9, 19, 32) + "]",
      "[[4,8]]",
      kFloat};
  const NodeLine t{6,
                   "aten::t",
                   kT,
                   "[" + tensor(3, 4, 64) + "]",
                   "[[8,8]]",
                   kFloat,
                   "[" + tensor(7, 4, 64) + "]",
                   "[[8,8]]",
                   kFloat,
                   5};
  const NodeLine addmm{
      7,
      "aten::addmm",
      kAddmm,
      "[" + tensor(5, 6, 8) + "," + tensor(1, 2, 32) + "," + tensor(7, 4, 64) + ",1,1]",
      "[[8],[4,8],[8,8],[],[]]",
      R"j(["Tensor(float)","Tensor(float)","Tensor(float)","Int","Int"])j",
      "[" + tensor(9, 19, 32) + "]",
      "[[4,8]]",
      kFloat,
      5};
  const FakeOperators operators = few_operators();
  const auto top = plan_of({linear, t, addmm}, operators);
  ASSERT_TRUE(top);
  EXPECT_THAT(top->operations, ElementsAre("aten::linear"));
  PlanOptions options;
  options.select.level = OperatorLevel::kernel;
  const auto kernel = plan_of({linear, t, addmm}, operators, options);
  ASSERT_TRUE(kernel);
  EXPECT_THAT(kernel->operations, ElementsAre("aten::t", "aten::addmm"));
  EXPECT_THAT(kernel->externals, SizeIs(3)) << "what t made is no external";
}

TEST(BenchPlan, StepsAndScopes) {
  const NodeLine first{3, "ProfilerStep#1", ""}, second{9, "ProfilerStep#2", ""};
  const NodeLine range{11, "## forward ##", ""};
  const std::vector<NodeLine> nodes = {first,  relu_node(5, 1, 2, 3, 4),
                                       second, relu_node(10, 1, 2, 3, 4),
                                       range,  relu_node(12, 1, 2, 3, 4, 11)};
  const auto sources = [&](const PlanOptions& options) {
    const auto plan = plan_of(nodes, few_operators(), options);
    return plan ? plan->sources.size() : 0;
  };
  PlanOptions options;
  EXPECT_EQ(sources(options), 1u) << "the first whole step";
  options.select.all_steps = true;
  EXPECT_EQ(sources(options), 3u);
  options.select.part = *parse_part("scope=forward");
  EXPECT_EQ(sources(options), 1u);
  options.select.part = *parse_part("scope=nowhere");
  const auto none = plan_of(nodes, few_operators(), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::usage);
}

TEST(BenchPlan, CommunicationIsLeftOutAndCounted) {
  const auto plan = plan_of({relu_node(5, 1, 2, 3, 4),
                             {6, "record_param_comms", ""},
                             {7, "c10d::allreduce_", "c10d::allreduce_(Tensor[] t) -> ()"},
                             {8, "Optimizer.step#SGD.step", ""}},
                            few_operators());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->communications, 2u);
  EXPECT_EQ(plan->other_nodes, 1u);
  EXPECT_THAT(plan->sources, SizeIs(1));
}

TEST(BenchPlan, WhatIsNotThereOnlyMakesItsResults) {
  const NodeLine odd{
      5,       "custom::op", "custom::op(Tensor x) -> Tensor", "[" + tensor(1, 2, 8) + "]",
      "[[8]]", kFloat,       "[" + tensor(3, 4, 16) + "]",     "[[2,8]]",
      kFloat};
  const auto plan = plan_of({odd}, few_operators());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->sources[0].how, ReplayMethod::absent);
  EXPECT_THAT(plan_text(*plan), HasSubstr("absent -> 0 %0 float [2,8] [] ; last %0"));
}

TEST(BenchPlan, NothingToReplayIsAnError) {
  const auto plan = plan_of({{5, "Optimizer.step", ""}}, few_operators());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Errc::input_missing_attr);
}

// Hostile shapes are refused before anything is allocated.
TEST(BenchPlan, ShapesThatCannotBeAreRefused) {
  NodeLine hostile = relu_node(5, 10, 20, 11, 21);
  hostile.input_shapes = "[[-4]]";
  const auto negative = plan_of({hostile}, few_operators());
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().code, Errc::input_range);
  EXPECT_THAT(negative.error().where, HasSubstr("node 5"));
  hostile.input_shapes = "[[32]]";
  hostile.output_shapes = "[[4611686018427387904, 8]]";
  EXPECT_EQ(plan_of({hostile}, few_operators()).error().code, Errc::input_range);
}

TEST(BenchPlan, MemoryIsLimited) {
  NodeLine large = relu_node(5, 10, 20, 11, 21);
  large.output_shapes = "[[1152921504606846976]]";  // 2^60 elements, 2^62 bytes
  PlanOptions options;
  options.memory_limit = 1 << 20;
  const auto refused = plan_of({large}, few_operators(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::limit_exceeded);
  options.memory_limit = 255;
  EXPECT_FALSE(plan_of({relu_node(5, 10, 20, 11, 21)}, few_operators(), options));
  options.memory_limit = 256;
  EXPECT_TRUE(plan_of({relu_node(5, 10, 20, 11, 21)}, few_operators(), options));
}

// Ids that name each other, or the same thing twice, are only numbers.
TEST(BenchPlan, StoragesThatReferToThemselvesAreOrdinary) {
  const auto plan = plan_of({relu_node(5, 7, 7, 7, 7), relu_node(6, 7, 7, 7, 7)}, few_operators());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(plan->steps, SizeIs(2));
}

NodeLine lookup(int id, const std::string& indices, std::string_view index_shape) {
  return {id,
          "aten::embedding",
          kEmbedding,
          "[" + tensor(1, 2, 800) + "," + indices + ",-1,false,false]",
          fmt::format("[[100,8],{},[],[],[]]", index_shape),
          R"j(["Tensor(float)","Tensor(long int)","Int","Bool","Bool"])j",
          "[" + tensor(50, 60, 32) + "]",
          "[[4,8]]",
          kFloat};
}

TEST(BenchFills, IndicesStayWithinTheirTable) {
  const auto plan = plan_of({lookup(5, tensor(3, 4, 4, 0, 8), "[4]")}, few_operators());
  ASSERT_TRUE(plan);
  ASSERT_THAT(plan->storages, SizeIs(2));
  EXPECT_EQ(plan->storages[0].fill.kind, Fill::Kind::uniform);
  EXPECT_DOUBLE_EQ(plan->storages[0].fill.high, 0.25) << "rows of 8";
  EXPECT_EQ(plan->storages[1].fill.kind, Fill::Kind::whole);
  EXPECT_EQ(plan->storages[1].fill.high, 99);
}

// … also where another operator has made the indices of something else.
TEST(BenchFills, BoundsAreFollowedBack) {
  const NodeLine copy{4,
                      "aten::relu",
                      kRelu,
                      "[" + tensor(90, 91, 4, 0, 8) + "]",
                      "[[4]]",
                      R"j(["Tensor(long int)"])j",
                      "[" + tensor(3, 4, 4, 0, 8) + "]",
                      "[[4]]",
                      R"j(["Tensor(long int)"])j"};
  const auto plan = plan_of({copy, lookup(5, tensor(3, 4, 4, 0, 8), "[4]")}, few_operators());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->storages[0].fill.high, 99);
}

TEST(BenchFills, RowsByFrequencyOnlyWhereAsked) {
  PlanOptions options;
  options.reuse = {0.5, 0.5};
  const auto plan = plan_of({lookup(5, tensor(3, 4, 4, 0, 8), "[4]")}, few_operators(), options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->storages[1].fill.kind, Fill::Kind::reuse);
  EXPECT_THAT(plan_text(*plan), HasSubstr("reuse 0.5 0.5\n"));
}

TEST(BenchPlan, LastUsesLetGoOfEverything) {
  const auto plan = plan_of(
      {relu_node(5, 10, 20, 11, 21), relu_node(6, 11, 21, 12, 22), relu_node(7, 11, 21, 13, 23)},
      few_operators());
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->steps[0].last, IsEmpty());
  EXPECT_THAT(plan->steps[1].last, ElementsAre(2u)) << "no step reads it";
  EXPECT_THAT(plan->steps[2].last, ElementsAre(1u, 3u));
}

}  // namespace
}  // namespace orrery::bench
