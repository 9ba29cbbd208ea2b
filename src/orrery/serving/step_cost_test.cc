// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/step_cost.h"

#include <gtest/gtest.h>

#include "orrery/serving/serving_testing.h"

namespace orrery::serving {
namespace {

TEST(Grid, PlacesAreBetweenTheirPoints) {
  for (const Grid grid : {kAttentionGrid, kTokenGrid}) {
    for (std::int64_t value = 0; value < 5'000'000; value += 1 + value / 777) {
      const Grid::Place place = grid.place(value);
      EXPECT_LE(place.low, value);
      EXPECT_GT(place.high, value);
      EXPECT_EQ(grid.value(place.point), place.low);
      EXPECT_EQ(grid.value(place.point + 1), place.high);
      EXPECT_LE(place.high - place.low, 1 + (value >> (grid.bits - 1)));
    }
  }
}

TEST(StepCost, IsExactAtThePointsOfItsGrid) {
  StepParts parts = serving_testing::linear_parts();
  parts.layers = [](std::int64_t tokens) { return 1e-6 * static_cast<double>(tokens * tokens); };
  parts.chunk = [](std::int64_t queries, std::int64_t past) {
    return 1e-9 * static_cast<double>(queries * (queries + past));
  };
  const StepCost cost(parts);
  const StepShape at_points{.tokens = 136 + 64,
                            .samples = 8,
                            .decodes = 8,
                            .decode_keys = 8 * 512,
                            .chunks = {{128, 0}, {64, 1024}}};
  StepShape shape = at_points;
  shape.tokens = 208;
  EXPECT_EQ(cost(shape), cost.exact(shape));
  shape.tokens = 1603;  // between 1,600 and 1,616
  EXPECT_GT(cost(shape), cost.exact(shape)) << "a chord of a square is above it";
  EXPECT_NEAR(seconds(cost(shape)), seconds(cost.exact(shape)), 0.01 * seconds(cost(shape)));
}

TEST(StepCost, CountsTheFixedPartOfAttentionOnce) {
  StepParts parts = serving_testing::linear_parts();
  parts.layers = [](std::int64_t) { return 0.0; };
  parts.decode = [](std::int64_t, std::int64_t) { return 3e-3; };
  parts.chunk = [](std::int64_t, std::int64_t) { return 5e-3; };
  parts.attention_floor = parts.prompt_floor = 1e-3;
  const StepCost cost(parts);
  EXPECT_EQ(cost({.tokens = 1, .decodes = 1, .decode_keys = 9}), us(3000));
  EXPECT_EQ(cost({.tokens = 9, .decodes = 1, .decode_keys = 9, .chunks = {{4, 0}, {4, 0}}}),
            us(1000 + 2000 + 4000 + 4000));
}

TEST(StepCost, StepsOutsideOfGraphsLastAsLongAsTheirLaunches) {
  for (const bool prompts : {false, true}) {  // whether graphs have steps with prompts
    StepParts parts = serving_testing::linear_parts();
    parts.captured = 100;
    parts.launch = 0.5;
    if (!prompts) parts.eager_layers = [](std::int64_t) { return 0.25; };
    const StepCost cost(parts);
    const StepShape decodes{.tokens = 50, .decodes = 50, .decode_keys = 50};
    const StepShape small{.tokens = 50, .decodes = 10, .decode_keys = 10, .chunks = {{40, 0}}};
    const StepShape large{.tokens = 101, .decodes = 1, .decode_keys = 1, .chunks = {{100, 0}}};
    EXPECT_NEAR(seconds(cost(decodes)), 0.0105, 1e-4);
    EXPECT_NEAR(seconds(cost(small)), prompts ? 0.0105 : 0.5, 1e-4);
    EXPECT_EQ(cost(large), us(500'000));
    EXPECT_EQ(cost.exact(large), us(500'000));
    parts.launch = 0;  // the kernels take longer
    EXPECT_NEAR(seconds(StepCost(parts)(large)), prompts ? 0.01101 : 0.25, 1e-4);
  }
}

TEST(StepCost, DecodesInMixedStepsHaveTheirOwnTime) {
  StepParts parts = serving_testing::linear_parts();
  parts.layers = [](std::int64_t) { return 0.0; };
  parts.decode = [](std::int64_t, std::int64_t) { return 1e-3; };
  parts.mixed_decode = [](std::int64_t, std::int64_t) { return 7e-3; };
  const StepCost cost(parts);
  EXPECT_EQ(cost({.tokens = 1, .decodes = 1, .decode_keys = 9}), us(1000));
  EXPECT_EQ(cost({.tokens = 5, .decodes = 1, .decode_keys = 9, .chunks = {{4, 0}}}), us(7000));
}

}  // namespace
}  // namespace orrery::serving
