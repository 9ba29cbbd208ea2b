// SPDX-License-Identifier: Apache-2.0
//
// What plans say as text is what the module reads.
#include "apps/orrery_bench/program.h"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

#include "orrery/bench/plan_text.h"

namespace orrery {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

bench::Value a_value(bench::Value::Kind kind) {
  bench::Value value;
  value.kind = kind;
  return value;
}

bench::Value a_tensor(bench::Slot slot) {
  bench::Value value = a_value(bench::Value::Kind::tensor);
  value.slot = slot;
  return value;
}

/// A call with an argument of every kind.
bench::Plan everything() {
  using Kind = bench::Value::Kind;
  bench::Plan plan;
  plan.slots = 4;
  plan.storages.push_back({64, bench::Dtype::real32, {bench::Fill::Kind::uniform, 0, 0.5}, true});
  plan.storages.push_back({16, bench::Dtype::int64, {bench::Fill::Kind::ramp, 0, 7, 3.5}, false});
  plan.storages.push_back({8, bench::Dtype::real32, {}, true, 1});
  plan.externals.push_back({0, 0, {bench::Dtype::real32, {2, 4}, {8, 1}, 3}});
  plan.operations = {"aten::add.Tensor"};
  bench::Step step;
  bench::Value whole = a_value(Kind::integer), real = a_value(Kind::real);
  whole.integer = -7;
  real.real = 3;
  bench::Value infinite = real, text = a_value(Kind::text), truth = a_value(Kind::truth);
  infinite.real = -std::numeric_limits<double>::infinity();
  text.text = "a \"b\" \\ c";
  truth.integer = 1;
  bench::Value list = a_value(Kind::list);
  list.of = bench::Value::Items::optional_tensors;
  list.items = {a_tensor(0), a_value(Kind::none)};
  bench::Value numbers = a_value(Kind::list);
  numbers.items = {whole, whole};
  step.arguments = {a_tensor(0),
                    whole,
                    real,
                    infinite,
                    text,
                    truth,
                    list,
                    numbers,
                    a_value(Kind::fallback),
                    a_value(Kind::none),
                    a_value(Kind::undefined),
                    a_value(Kind::device)};
  step.outputs = {{0, -1, 1, {bench::Dtype::half, {3}, {}, 0}},
                  {1, 2, 2, {bench::Dtype::truth, {}, {}, 0}}};
  step.last = {1};
  step.gap = Time(5'000'000);
  plan.sources = {{"aten::add.Tensor"}};
  plan.steps = {step};
  bench::Step view;
  view.kind = bench::Step::Kind::view;
  view.arguments = {a_tensor(0)};
  view.outputs = {{0, -1, 3, {bench::Dtype::real32, {4}, {2}, 1}}};
  plan.steps.push_back(view);
  return plan;
}

TEST(Program, ReadsEveryKindOfValue) {
  const std::string text = bench::plan_text(everything());
  const replay::Program program = replay::read_program(text);
  ASSERT_THAT(program.storages, SizeIs(3));
  EXPECT_TRUE(program.storages[0].written);
  EXPECT_EQ(program.storages[0].after, -1);
  EXPECT_TRUE(program.storages[2].written);
  EXPECT_EQ(program.storages[2].after, 1);
  EXPECT_EQ(program.storages[0].second, 0.5);
  EXPECT_EQ(program.storages[1].fill, "ramp");
  EXPECT_EQ(program.storages[1].first, 3.5);
  ASSERT_THAT(program.externals, SizeIs(1));
  EXPECT_THAT(program.externals[0].spec.strides, ElementsAre(8, 1));
  EXPECT_EQ(program.externals[0].spec.offset, 3);
  ASSERT_THAT(program.steps, SizeIs(2));
  const replay::Step& step = program.steps[0];
  std::string kinds;
  for (const replay::Value& value : step.arguments) kinds += value.kind;
  EXPECT_EQ(kinds, "%irrsbll_nu@");
  EXPECT_EQ(step.arguments[1].integer, -7);
  EXPECT_EQ(step.arguments[2].real, 3);
  EXPECT_EQ(step.arguments[3].real, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(step.arguments[4].text, "a \"b\" \\ c");
  EXPECT_EQ(step.arguments[6].items, 'o');
  EXPECT_EQ(step.arguments[6].list[1].kind, 'n');
  EXPECT_EQ(step.arguments[7].items, 'i');
  ASSERT_THAT(step.outputs, SizeIs(2));
  EXPECT_EQ(step.outputs[0].spec.dtype, "half");
  EXPECT_EQ(step.outputs[1].item, 2);
  EXPECT_THAT(step.last, ElementsAre(1));
  EXPECT_EQ(step.gap_ns, 5000);
  EXPECT_EQ(program.steps[1].kind, replay::Step::Kind::view);
  EXPECT_EQ(program.steps[1].outputs[0].spec.offset, 1);
}

TEST(Program, WhatIsNoneIsToldByItsLine) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      (void)replay::read_program(text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  const std::string first = "orrery benchmark 1\n";
  EXPECT_EQ(why("something else\n"), "line 1: expected 'orrery benchmark 1'");
  EXPECT_EQ(why(first + "slots x\n"), "line 2: expected a number");
  EXPECT_EQ(why(first + "dance\n"), "line 2: expected a kind of step");
  EXPECT_NE(why(first + "slots 1\noperation 0 aten::t\ncall 0 (%5) -> ; last\n"), "");
  EXPECT_NE(why(first + "slots 1\ncall 3 () -> ; last\n"), "") << "no such operation";
  EXPECT_NE(why(first + "storage 0 4 float uniform 0 1 after 0\nslots 1\n"), "") << "no such step";
  EXPECT_NE(why(first + "slots 1\nabsent -> 0 %0 float [1 ; last\n"), "");
  EXPECT_EQ(why(first + "# nothing\n\nslots 0\n"), "");
}

}  // namespace
}  // namespace orrery
