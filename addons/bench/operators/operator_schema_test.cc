// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/operators/operator_schema.h"

#include <gmock/gmock.h>

namespace orrery::bench {
namespace {

TEST(BenchSchema, ReadsNamesOverloadsAndDefaults) {
  const auto schema =
      parse_schema("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->name, "aten::add");
  EXPECT_EQ(schema->overload, "Tensor");
  EXPECT_EQ(schema->full_name(), "aten::add.Tensor");
  ASSERT_EQ(schema->parameters.size(), 3u);
  EXPECT_EQ(schema->parameters[2].name, "alpha");
  EXPECT_EQ(schema->parameters[2].type.base, BaseType::scalar);
  EXPECT_EQ(schema->parameters[2].fallback, "1");
  ASSERT_EQ(schema->returns.size(), 1u);
  EXPECT_EQ(schema->returns[0].base, BaseType::tensor);
}

TEST(BenchSchema, ReadsWhatIsWrittenAndListsOfWhatMayBeNone) {
  const auto schema = parse_schema(
      "aten::x(Tensor(a!)[] self, Tensor?[] indices, int[2]? size=None, bool[3] mask, SymInt[] "
      "pads=[0, 0], str mode='a, b', ScalarType? dtype=None) -> (Tensor(a!) out, Tensor[] rest)");
  ASSERT_TRUE(schema);
  ASSERT_EQ(schema->parameters.size(), 7u);
  EXPECT_EQ(schema->parameters[0].type,
            (ParameterType{BaseType::tensor, false, true, false, true, true}));
  EXPECT_EQ(schema->parameters[1].type,
            (ParameterType{BaseType::tensor, false, true, true, false, false}));
  EXPECT_EQ(schema->parameters[2].type,
            (ParameterType{BaseType::integer, true, true, false, false, false}));
  EXPECT_EQ(schema->parameters[3].type,
            (ParameterType{BaseType::truth, false, true, false, false, false}));
  EXPECT_EQ(schema->parameters[4].fallback, "[0, 0]");
  EXPECT_EQ(schema->parameters[5].fallback, "'a, b'");
  EXPECT_EQ(schema->parameters[6].type.base, BaseType::integer);
  ASSERT_EQ(schema->returns.size(), 2u);
  EXPECT_TRUE(schema->returns[0].written);
  EXPECT_TRUE(schema->returns[1].list);
}

TEST(BenchSchema, WhatReturnsNothingAndObjects) {
  const auto schema = parse_schema(
      "c10d::allreduce_(Tensor[] tensors, __torch__.torch.classes.c10d.ProcessGroup group) -> ()");
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->returns.empty());
  EXPECT_EQ(schema->parameters[1].type.base, BaseType::other);
}

TEST(BenchSchema, WhatIsNoneIsNone) {
  for (const char* text : {"", "relu", "aten::relu", "(Tensor self) -> Tensor", "aten::x(Tensor",
                           "aten::x(Tensor self)", "aten::x(,) -> Tensor", "::(a b) -> c",
                           "aten::x(Tensor(a!", "aten::x(Tensor a) -> (,)", "x()->"})
    EXPECT_FALSE(parse_schema(text)) << text;
}

}  // namespace
}  // namespace orrery::bench
