// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/programs/microbenchmark.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"

namespace orrery::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::int64_t kLimit = 1 << 20;

NodeLine add_in_place(int id, int self, int other, int other_storage) {
  return {id,
          "aten::add_",
          kAddInPlace,
          "[" + tensor(self, self, 32) + "," + tensor(other, other_storage, 32) + ",1]",
          "[[32],[32],[]]",
          R"j(["Tensor(float)","Tensor(float)","Int"])j",
          "[" + tensor(self, self, 32) + "]",
          "[[32]]",
          R"j(["Tensor(float)"])j"};
}

TEST(BenchMicro, EqualOperatorsAreOneWithAWeight) {
  NodeLine larger = relu_node(8, 12, 12, 13, 13);
  larger.input_shapes = larger.output_shapes = "[[64]]";
  const auto plan = plan_of(
      {relu_node(5, 1, 1, 2, 2), relu_node(6, 2, 2, 3, 3), larger, relu_node(9, 3, 3, 4, 4)},
      few_operators());
  ASSERT_TRUE(plan);
  const auto all = microbenchmarks_of(*plan, "", kLimit);
  ASSERT_TRUE(all);
  ASSERT_THAT(*all, SizeIs(2));
  EXPECT_EQ((*all)[0].weight, 3u);
  EXPECT_EQ((*all)[0].tensors, "float [32]");
  EXPECT_EQ((*all)[1].weight, 1u);
  EXPECT_EQ(plan_text((*all)[0].plan),
            "orrery benchmark 1\n"
            "slots 2\n"
            "storage 0 128 float uniform 0 1\n"
            "external %0 0 float [32] [] 0\n"
            "operation 0 aten::relu\n"
            "# aten::relu\n"
            "call 0 (%0) -> 0 %1 float [32] [] ; last %1\n");
  EXPECT_EQ((*all)[0].plan.peak_bytes, 256);
}

// What a step writes is restored, also where another operator has made it; x + x shares memory.
TEST(BenchMicro, MemoryIsWrittenAndSharedAsItWas) {
  const auto plan =
      plan_of({relu_node(5, 1, 1, 2, 2), add_in_place(6, 2, 1, 1), add_in_place(7, 2, 2, 2)},
              few_operators());
  ASSERT_TRUE(plan);
  const auto all = microbenchmarks_of(*plan, "add_", kLimit);
  ASSERT_TRUE(all);
  ASSERT_THAT(*all, SizeIs(2)) << "one of two tensors, one of one";
  EXPECT_THAT((*all)[0].plan.storages, SizeIs(2));
  EXPECT_TRUE((*all)[0].plan.storages[0].written);
  EXPECT_FALSE((*all)[0].plan.storages[1].written);
  EXPECT_THAT((*all)[1].plan.storages, SizeIs(1));
  EXPECT_TRUE((*all)[1].plan.storages[0].written);
}

// A small part of much memory needs no more than itself, and indices stay within their table.
TEST(BenchMicro, OnlyWhatIsUsedIsMade) {
  NodeLine part = relu_node(5, 1, 1, 2, 2);
  part.inputs = "[" + tensor(1, 1, 32, /*offset=*/1 << 20) + "]";
  const NodeLine lookup{6,
                        "aten::embedding",
                        kEmbedding,
                        "[" + tensor(3, 3, 800) + "," + tensor(4, 4, 4, 0, 8) + ",-1,false,false]",
                        "[[100,8],[4],[],[],[]]",
                        R"j(["Tensor(float)","Tensor(long int)","Int","Bool","Bool"])j",
                        "[" + tensor(50, 60, 32) + "]",
                        "[[4,8]]",
                        R"j(["Tensor(float)"])j"};
  PlanOptions options;
  options.kernels = true;
  const auto plan = plan_of({part, lookup}, few_operators(), options);
  ASSERT_TRUE(plan);
  const auto all = microbenchmarks_of(*plan, "", kLimit);
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ((*all)[0].plan.storages[0].bytes, 128);
  EXPECT_EQ((*all)[0].plan.externals[0].spec.offset, 0);
  EXPECT_EQ((*all)[1].plan.storages[1].fill.high, 99);
  ASSERT_TRUE((*all)[1].kernel);
  EXPECT_EQ((*all)[1].kernel->operation, graph::Operation::embedding);
  const std::string text = microbenchmark_text(*all);
  EXPECT_TRUE(
      text.starts_with("orrery microbenchmarks 1\nbenchmark\t1\t0\taten::relu\tfloat [32]\t"))
      << text;
  EXPECT_THAT(text,
              HasSubstr("\nbenchmark\t1\t0\taten::embedding\tfloat [100,8], int64 [4]\tembedd"));
}

TEST(BenchMicro, WhatCannotBeIsTold) {
  const auto plan = plan_of({relu_node(5, 1, 1, 2, 2)}, few_operators());
  ASSERT_TRUE(plan);
  EXPECT_EQ(microbenchmarks_of(*plan, "dance", kLimit).error().code, Errc::usage);
  const auto large = microbenchmarks_of(*plan, "", 255);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Errc::limit_exceeded);
  EXPECT_EQ(large.error().where, "aten::relu");
}

TEST(BenchMicro, TimesAreByKernelWhereThatIsKnown) {
  PlanOptions options;
  options.kernels = true;
  const auto plan = plan_of({relu_node(5, 1, 1, 2, 2)}, few_operators(), options);
  ASSERT_TRUE(plan);
  const auto all = microbenchmarks_of(*plan, "", kLimit);
  ASSERT_TRUE(all);
  ReplayOutcome outcome;
  outcome.wall_ns = {9000, 9000, 9000};
  outcome.length_ns = {2500, 1500, 4000};
  outcome.failures = {0};
  outcome.reasons = {""};
  MicrobenchmarkTime time = microbenchmark_time((*all)[0], outcome);
  EXPECT_EQ(time.each.half, 2500);
  const std::string kernel = graph::to_text((*all)[0].kernel.value());
  EXPECT_EQ(measured_kernels(*all, {time}, "host"),
            "device,kernel,us\nhost,\"" + kernel + "\",2.5\n");
  time.failures = 1;
  EXPECT_EQ(measured_kernels(*all, {time}, "host"), "device,kernel,us\n");
}

}  // namespace
}  // namespace orrery::bench
