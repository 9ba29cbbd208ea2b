// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_svg.h"

#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_testing.h"

namespace orrery::workload {
namespace {

Program program_with(std::uint32_t microbatches) {
  Weights weights;
  weights.dense = 1 << 20;
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < microbatches; ++i) slots.push_back({Pass::forward, 0, i});
  for (std::uint32_t i = 0; i < microbatches; ++i) slots.push_back({Pass::backward, 0, i});
  Spec spec;
  spec.name = "A <model> & \"more\"";
  return program_of(spec, {layer(1 << 20, 1 << 18, weights)}, {role_of({{{0, 4, 0}}}, slots)});
}

std::string drawn(const Program& program, std::int64_t capacity = 0) {
  const auto report = account_memory(program);
  EXPECT_TRUE(report.has_value());
  return memory_svg(program, report->roles[0], capacity);
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

TEST(MemoryPicture, MarksAndLabelsThePeak) {
  const std::string svg = drawn(program_with(3));
  EXPECT_TRUE(has(svg, "in task 2, forward of microbatch 2")) << svg;
  EXPECT_TRUE(has(svg, "peak 88.3 MB"));  // 72 MiB of state, 12.25 of activations
  EXPECT_TRUE(has(svg, "6 tasks in the order of the schedule"));
  EXPECT_TRUE(has(svg, ">12.6 MB<"));  // activations
  EXPECT_FALSE(has(svg, "capacity"));
}

TEST(MemoryPicture, StandsAlone) {
  const std::string svg = drawn(program_with(2));
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  EXPECT_TRUE(has(svg, "</svg>"));
  for (const char* const foreign : {"href", "script", "@import", "url(", "nan", "inf"}) {
    EXPECT_FALSE(has(svg, foreign)) << foreign;
  }
}

TEST(MemoryPicture, NamesAreOnlyText) {
  const std::string svg = drawn(program_with(2));
  EXPECT_TRUE(has(svg, "A &lt;model&gt; &amp; &quot;more&quot;: memory of stage 0, 1 rank"));
}

/// Bytes that are no UTF-8, DEL and what XML has no place for used to go into the picture.
TEST(MemoryPicture, NoNameMakesItMalformed) {
  Program program = program_with(2);
  program.spec.name = "a\x01\xFF\xEF\xBF\xBEz";
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_TRUE(has(drawn(program), ">a" + mark + mark + mark + "z: memory of stage 0"));
}

TEST(MemoryPicture, DrawsACapacity) {
  EXPECT_TRUE(has(drawn(program_with(2), 100 << 20), "capacity 105 MB"));
}

TEST(MemoryPicture, ManyTasksTakeNoMoreRoomThanPixels) {
  EXPECT_LT(drawn(program_with(20000)).size(), 100000u);
}

TEST(MemoryPicture, SaysWhenThereIsNothingToDraw) {
  const Program program = program_with(2);
  const auto report = account_memory(program, {.details = false});
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(has(memory_svg(program, report->roles[0]), "no samples"));
}

TEST(MemoryPicture, DrawsARankThatHoldsNothing) {
  const Program program =
      program_of({}, {layer(0)}, {role_of({{{0, 1, 0}}}, {{Pass::forward, 0, 0}})});
  const auto report = account_memory(program);
  ASSERT_TRUE(report.has_value());
  const std::string svg = memory_svg(program, report->roles[0]);
  EXPECT_FALSE(has(svg, "nan"));
  EXPECT_TRUE(has(svg, "peak 0 B"));
}

}  // namespace
}  // namespace orrery::workload
