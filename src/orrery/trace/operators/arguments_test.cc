// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/arguments.h"

#include <gtest/gtest.h>

namespace orrery::trace::operators {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(Arguments, HaveShapesAndFormats) {
  const auto is =
      Arguments::read({"[[4, 6], [], [[1, 2], [3]], [[]], [7]]",
                       R"(["c10::BFloat16", "Scalar", "TensorList", "ScalarList"])", ""});
  ASSERT_TRUE(is);
  ASSERT_EQ(is->size(), 5u);
  EXPECT_EQ(is->shape(0), (TensorShape{4, 6}));
  EXPECT_EQ(is->elements(0), 24);
  EXPECT_EQ(is->bytes(0), 48);
  EXPECT_TRUE(is->shape(1).empty());
  EXPECT_TRUE(is->shape(2).empty());
  EXPECT_EQ(is->elements(2), 5);
  EXPECT_EQ(is->bytes(2), 0);  // of what format is not said
  EXPECT_EQ(is->elements(3), 0);
  EXPECT_EQ(is->format(4), graph::Format::unsaid);
  EXPECT_TRUE(is->shape(99).empty());
  EXPECT_EQ(is->elements(99), 0);
}

TEST(Arguments, TypesOfListsAreThoseOfAll) {
  EXPECT_EQ(format_of_type("GenericList[Tensor(float),Tensor(float)]"), graph::Format::fp32);
  EXPECT_EQ(format_of_type("GenericList[Tensor(float),Tensor(c10::Half)]"), graph::Format::unsaid);
  EXPECT_EQ(format_of_type("GenericList[Int,Int]"), graph::Format::unsaid);
  EXPECT_EQ(format_of_type("Tensor(c10::Half)"), graph::Format::fp16);
  EXPECT_EQ(format_of_type("c10::Float8_e4m3fn"), graph::Format::fp8);
  EXPECT_EQ(format_of_type("Tensor(nullptr (uninitialized))"), graph::Format::unsaid);
}

// Their names have those of others in them.
TEST(Arguments, TypesWithoutAFormatAreUnsaid) {
  for (const char* const type :
       {"c10::complex<float>", "c10::Float4_e2m1fn_x2", "c10::qint8", "c10::quint4x2", "short int",
        "short unsigned int", "Scalar", "Int", ""})
    EXPECT_EQ(format_of_type(type), graph::Format::unsaid) << type;
  EXPECT_EQ(format_of_type("long int"), graph::Format::int64);
  EXPECT_EQ(format_of_type("unsigned char"), graph::Format::int8);
  EXPECT_EQ(format_of_type("int"), graph::Format::int32);
}

// As PyTorch's profiler writes them, as its execution traces do, and as Chakra's converter.
TEST(Arguments, HaveValues) {
  const char* const kineto = R"(["", "[0, 1]", "True", "0.125", "-3", "", "a,b"])";
  const char* const trace = R"([[78, 79, 0, 3840, 4, "cuda:0"],[0,1],true,0.125,-3,[],"a,b"])";
  const char* const python = "[[78, 79, 0, 3840, 4, 'cuda:0'], [0, 1], True, 0.125, -3, [], 'a,b']";
  for (const char* const values : {kineto, trace, python}) {
    const auto is = Arguments::read({"[[],[],[],[],[],[],[]]", "", values});
    ASSERT_TRUE(is);
    EXPECT_EQ(is->numbers(0), Numbers{}) << values;
    EXPECT_EQ(is->numbers(1), (Numbers{0, 1})) << values;
    EXPECT_EQ(is->numbers(2), Numbers{1}) << values;
    EXPECT_EQ(is->numbers(3), Numbers{}) << values;
    EXPECT_EQ(is->numbers(4), Numbers{-3}) << values;
    EXPECT_EQ(is->numbers(5), Numbers{}) << values;
    EXPECT_EQ(is->numbers(6), Numbers{}) << values;
    EXPECT_EQ(is->numbers(7), Numbers{}) << values;
    EXPECT_TRUE(is->is_set(2));
    EXPECT_FALSE(is->is_set(1));
  }
}

TEST(Arguments, HostileShapesAreNoneOrCountNothing) {
  for (const char* const shapes :
       {"[[4,6],[6,8]", "[[4,6],[6,x]]", "4", "]", "[4]", "[[1]]]", "[[[[[[[[[1]]]]]]]]]",
        "[[99999999999999999999]]", "[[1,[2]]]", "[[--1]]"})
    EXPECT_FALSE(Arguments::read({shapes, "", ""})) << shapes;
  const auto is =
      Arguments::read({"[[-4, 6], [0], [1125899906842625], [4294967296, 4294967296], "
                       "[[1125899906842624],[1]], [9223372036854775807, 2]]",
                       R"(["float","float","float","float","float","float"])", ""});
  ASSERT_TRUE(is);
  for (std::size_t i = 0; i < is->size(); ++i) EXPECT_EQ(is->elements(i), 0) << i;
  EXPECT_EQ(Arguments::read({"", "", ""})->size(), 0u);
}

}  // namespace
}  // namespace orrery::trace::operators
