// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/evaluation/evaluator.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/explore/space/search_space_testing.h"

namespace orrery::explore {
namespace {

/// The first point: no plan but data parallel.
PointPrediction predicted_with(const std::string& memory, Evaluation evaluation) {
  std::string text = small_space();
  const std::string given = "memory_capacity: 2 GB";
  text.replace(text.find(given), given.size(), memory);
  const SearchSpace space = space_of(text);
  const auto asked = spec_at(space, space.at(0));
  EXPECT_TRUE(asked);
  return Evaluator(space).predict(*asked, evaluation);
}

// Both methods treat memory expansion equally: whether a plan fits, and its slowdown.
TEST(Evaluator, KnowsMemoryBesideDevices) {
  EXPECT_EQ(predicted_with("memory_capacity: 1 GB", Evaluation::estimate).state, State::too_large);
  const std::string slow = "memory_capacity: 1 GB, memory_expansion: {bandwidth: 50 GB/s}";
  const PointPrediction own = predicted_with("memory_capacity: 80 GB", Evaluation::simulate);
  const PointPrediction simulated = predicted_with(slow, Evaluation::simulate),
                        estimated = predicted_with(slow, Evaluation::estimate);
  ASSERT_EQ(simulated.state, State::fits);
  ASSERT_EQ(estimated.state, State::fits);
  EXPECT_GT(simulated.step, own.step * 3 / 2);
  EXPECT_NEAR(static_cast<double>(estimated.step) / static_cast<double>(simulated.step), 1, 0.02);
  EXPECT_EQ(predicted_with(
                "memory_capacity: 1 GB, memory_expansion: {bandwidth: 50 GB/s, capacity: 1 MB}",
                Evaluation::estimate)
                .state,
            State::too_large);
}

}  // namespace
}  // namespace orrery::explore
