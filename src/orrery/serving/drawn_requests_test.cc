// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/drawn_requests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace orrery::serving {
namespace {

/// Mean and coefficient of variation of the gaps.
std::pair<double, double> gaps_of(const RequestStream& stream) {
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(stream.requests.size() - 1);
  for (std::size_t i = 1; i < stream.requests.size(); ++i) {
    const double gap = seconds(stream.requests[i].arrival - stream.requests[i - 1].arrival);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean) / mean};
}

TEST(DrawnRequests, GapsHaveTheirDistribution) {
  DrawnRequests drawn{.count = 20'000, .rate = 4};
  auto [mean, variation] = gaps_of(draw_requests(drawn));
  EXPECT_NEAR(mean, 0.25, 0.01);
  EXPECT_NEAR(variation, 1, 0.03);
  drawn.arrivals = Arrivals::gamma;
  for (const double burstiness : {0.25, 1.0, 4.0}) {  // variation 1 / sqrt(shape)
    drawn.burstiness = burstiness;
    std::tie(mean, variation) = gaps_of(draw_requests(drawn));
    EXPECT_NEAR(mean, 0.25, 0.01) << burstiness;
    EXPECT_NEAR(variation, 1 / std::sqrt(burstiness), 0.05) << burstiness;
  }
  drawn.arrivals = Arrivals::constant;
  std::tie(mean, variation) = gaps_of(draw_requests(drawn));
  EXPECT_NEAR(mean, 0.25, 1e-9);
  EXPECT_LT(variation, 1e-3);
}

TEST(DrawnRequests, LengthsStayInTheirRange) {
  const auto stream = draw_requests({.count = 5000, .input = {100, 0.5}, .output = {10, 0.1}});
  std::set<std::int64_t> inputs, outputs;
  for (const Request& one : stream.requests) {
    inputs.insert(one.input);
    outputs.insert(one.output);
  }
  EXPECT_EQ(*inputs.begin(), 50);
  EXPECT_EQ(*inputs.rbegin(), 150);
  EXPECT_EQ(inputs.size(), 101u);
  EXPECT_EQ(outputs, (std::set<std::int64_t>{9, 10, 11}));
}

TEST(DrawnRequests, ARequestDependsOnlyOnItsSeedAndNumber) {
  const auto few = draw_requests({.count = 10, .input = {100, 0.5}});
  const auto many = draw_requests({.count = 100, .input = {100, 0.5}});
  const auto other = draw_requests({.count = 10, .input = {100, 0.5}, .seed = 2});
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(few.requests[i], many.requests[i]);
  EXPECT_NE(few.requests, other.requests);
}

}  // namespace
}  // namespace orrery::serving
