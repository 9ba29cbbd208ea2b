// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/operators/resolver.h"

#include <gmock/gmock.h>

#include "addons/bench/planner/bench_testing.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;

RecordedValue a_tensor() {
  RecordedTensor made;
  made.id = 1;
  made.storage = 2;
  made.spec = {Dtype::real32, {4}, {}, 0};
  return RecordedValue::of(made);
}

Call call(std::string name, std::string overload, std::vector<RecordedValue> arguments,
          std::vector<std::string> names) {
  Call made;
  made.name = std::move(name);
  made.overload = std::move(overload);
  made.arguments = std::move(arguments);
  made.names = std::move(names);
  return made;
}

TEST(BenchResolve, TheRecordedOverloadFirst) {
  const FakeOperators operators(
      {{"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", true, false},
       {"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", true, false}});
  Resolver resolver(operators);
  const auto match =
      resolver.match(call("aten::mul", "Tensor", {a_tensor(), a_tensor()}, {"self", "other"}));
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->exact);
  EXPECT_EQ(match->schema->overload, "Tensor");
  EXPECT_THAT(match->parameters, ElementsAre(0u, 1u));
}

TEST(BenchResolve, AnotherOverloadThatTakesTheSame) {
  const FakeOperators operators(
      {{"aten::x.new(Tensor self, int n, bool slow=False) -> Tensor", true, false}});
  Resolver resolver(operators);
  const auto match = resolver.match(
      call("aten::x", "old", {a_tensor(), RecordedValue::of(std::int64_t{3})}, {"self", "n"}));
  ASSERT_TRUE(match);
  EXPECT_FALSE(match->exact);
  EXPECT_THAT(match->parameters, ElementsAre(0u, 1u, kFallback));
  EXPECT_FALSE(resolver.match(call("aten::x", "old", {a_tensor()}, {"self"}))) << "n is missing";
  EXPECT_FALSE(resolver.match(call("aten::x", "old", {a_tensor(), RecordedValue::of(1.5)}, {})));
  EXPECT_FALSE(resolver.match(call("aten::y", "", {a_tensor()}, {"self"})));
}

TEST(BenchResolve, WhatIsNewerThanTheOperatorMayBeLeftOutIfItSaysNothing) {
  const FakeOperators operators({{"aten::x(Tensor self) -> Tensor", true, false}});
  Resolver resolver(operators);
  EXPECT_TRUE(resolver.match(call("aten::x", "", {a_tensor(), RecordedValue{}}, {"self", "hint"})));
  EXPECT_TRUE(resolver.match(
      call("aten::x", "", {a_tensor(), RecordedValue::of(false)}, {"self", "hint"})));
  EXPECT_FALSE(resolver.match(
      call("aten::x", "", {a_tensor(), RecordedValue::of(std::int64_t{2})}, {"self", "hint"})));
}

TEST(BenchResolve, ByNameWherePlacesDiffer) {
  const FakeOperators operators(
      {{"aten::x(Tensor self, int b=0, int a=0) -> Tensor", true, false}});
  Resolver resolver(operators);
  const auto match = resolver.match(
      call("aten::x", "",
           {a_tensor(), RecordedValue::of(std::int64_t{1}), RecordedValue::of(std::int64_t{2})},
           {"self", "a", "b"}));
  ASSERT_TRUE(match);
  EXPECT_THAT(match->parameters, ElementsAre(0u, 2u, 1u));
}

TEST(BenchResolve, WhatRunsGoesBeforeWhatWasRecorded) {
  const FakeOperators operators({{"aten::x.a(Tensor self) -> Tensor", false, false},
                                 {"aten::x.b(Tensor self) -> Tensor", true, false}});
  Resolver resolver(operators);
  const auto match = resolver.match(call("aten::x", "a", {a_tensor()}, {"self"}));
  ASSERT_TRUE(match);
  EXPECT_EQ(match->schema->overload, "b");
}

TEST(BenchResolve, ListsAndNone) {
  const ParameterType optional_tensors{BaseType::tensor, false, true, true, false, false};
  const ParameterType tensors{BaseType::tensor, false, true, false, false, false};
  const RecordedValue list = RecordedValue::of(std::vector{a_tensor(), RecordedValue{}});
  EXPECT_TRUE(fits(list, optional_tensors));
  EXPECT_FALSE(fits(list, tensors));
  EXPECT_TRUE(fits(RecordedValue::of(std::int64_t{1}),
                   {BaseType::integer, false, true, false, false, false}));
  EXPECT_TRUE(fits(RecordedValue{}, {BaseType::other, true, false, false, false, false}));
  EXPECT_FALSE(fits(a_tensor(), {BaseType::other, true, false, false, false, false}));
}

}  // namespace
}  // namespace orrery::bench
