// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/tensor.h"

#include <gmock/gmock.h>

#include "addons/bench/recording/recorded_value.h"

namespace orrery::bench {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 60;

TEST(BenchTensor, ReachIsWhereTheLastElementEnds) {
  EXPECT_EQ(reach_of({Dtype::real32, {2, 3}, {}, 0}), 24);
  EXPECT_EQ(reach_of({Dtype::real32, {2, 3}, {10, 1}, 0}), 4 * 13);
  EXPECT_EQ(reach_of({Dtype::int64, {4}, {0}, 5}), 8 * 6);
  EXPECT_EQ(reach_of({Dtype::real64, {}, {}, 0}), 8);
  EXPECT_EQ(reach_of({Dtype::half, {0, 7}, {7, 1}, 3}), 6) << "nothing, at an offset";
}

TEST(BenchTensor, WhatCannotBeIsNoTensor) {
  EXPECT_FALSE(reach_of({Dtype::real32, {-1}, {}, 0}));
  EXPECT_FALSE(reach_of({Dtype::real32, {4}, {-1}, 0})) << "a negative stride";
  EXPECT_FALSE(reach_of({Dtype::real32, {4}, {}, -8}));
  EXPECT_FALSE(reach_of({Dtype::real64, {kHuge}, {}, 0})) << "2^63 bytes";
  EXPECT_FALSE(reach_of({Dtype::byte, {kHuge, kHuge}, {}, 0}));
  EXPECT_FALSE(reach_of({Dtype::byte, {2, 2}, {kHuge * 4, kHuge * 4}, 0}));
  EXPECT_FALSE(reach_of({Dtype::byte, {2}, {}, INT64_MAX}));
  EXPECT_FALSE(reach_of({Dtype::byte, {2, 2}, {1}, 0})) << "strides of another shape";
  EXPECT_EQ(elements_of({Dtype::byte, {kHuge, 4}, {}, 0}), std::int64_t{1} << 62);
  EXPECT_FALSE(elements_of({Dtype::byte, {kHuge, 5}, {}, 0}));
}

TEST(BenchTensor, TypesByAnyYearsName) {
  EXPECT_EQ(recorded_dtype("long int"), Dtype::int64);
  EXPECT_EQ(recorded_dtype("long"), Dtype::int64);
  EXPECT_EQ(recorded_dtype("c10::Half"), Dtype::half);
  EXPECT_FALSE(recorded_dtype("c10::Float8_e4m3fn"));
}

TEST(BenchRecorded, ReadsValuesByTheirTypes) {
  const auto values = read_recorded_values(
      {R"j([[7,9,3,6,4,"cpu"],2,1.5,true,"<None>","cuda:0","sum",[1,2],"-Infinity","<Stream>"])j",
       R"j([[2,3],[],[],[],[],[],[],[[],[]],[],[]])j",
       R"j(["Tensor(float)","Int","Double","Bool","None","Device","String","GenericList[Int,Int]","Double","Stream"])j",
       R"j([[3,1],[],[],[],[],[],[],[[],[]],[],[]])j"});
  ASSERT_EQ(values.size(), 10u);
  using Kind = RecordedValue::Kind;
  EXPECT_EQ(values[0].tensor.id, 7u);
  EXPECT_EQ(values[0].tensor.storage, 9u);
  EXPECT_EQ(values[0].tensor.spec, (TensorSpec{Dtype::real32, {2, 3}, {3, 1}, 3}));
  EXPECT_EQ(values[1].integer, 2);
  EXPECT_EQ(values[2].real, 1.5);
  EXPECT_EQ(values[3].kind, Kind::truth);
  EXPECT_EQ(values[4].kind, Kind::none);
  EXPECT_EQ(values[5].kind, Kind::device);
  EXPECT_EQ(values[6].text, "sum");
  ASSERT_EQ(values[7].items.size(), 2u);
  EXPECT_EQ(values[7].items[1].integer, 2);
  EXPECT_LT(values[8].real, -1e300);
  EXPECT_EQ(values[9].kind, Kind::other);
}

TEST(BenchRecorded, WhatDoesNotFitTogetherIsOther) {
  using Kind = RecordedValue::Kind;
  const auto kind = [](std::string_view value, std::string_view shape, std::string_view type) {
    const auto read = read_recorded_values({value, shape, type, ""});
    return read.empty() ? Kind::none : read[0].kind;
  };
  EXPECT_EQ(kind(R"j([[1,2,0,4,4,"cpu"]])j", "[[4]]", R"j(["Tensor(float)"])j"), Kind::tensor);
  EXPECT_EQ(kind(R"j([[1,2,0,4,4,"cpu"]])j", "[[x]]", R"j(["Tensor(float)"])j"), Kind::other);
  EXPECT_EQ(kind(R"j([[1,2,0,4,4,"cpu"]])j", "[[4]]", R"j(["Tensor(fp8)"])j"), Kind::other);
  EXPECT_EQ(kind(R"j([[1,2]])j", "[[4]]", R"j(["Tensor(float)"])j"), Kind::other);
  EXPECT_EQ(kind(R"j([[-1,2,0,4,4,"cpu"]])j", "[[4]]", R"j(["Tensor(float)"])j"), Kind::other);
  EXPECT_EQ(kind("[[1,2,3]]", "[[]]", R"j(["GenericList[Int,Int]"])j"), Kind::other);
  EXPECT_EQ(kind("[1.5]", "[[]]", R"j(["Int"])j"), Kind::other);
  std::string deep = "Int";
  for (int i = 0; i < 200; ++i) deep = "GenericList[" + deep + "]";
  const auto nested = read_recorded_values({"[[[[[[]]]]]]", "[]", "[\"" + deep + "\"]", ""});
  EXPECT_EQ(nested.size(), 1u);
}

}  // namespace
}  // namespace orrery::bench
