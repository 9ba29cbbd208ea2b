// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/sampled_requests.h"

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

TEST(SampledRequests, GapsHaveTheirDistribution) {
  SampledRequests sampled{.count = 20'000, .rate = 4};
  auto [mean, variation] = gaps_of(*sample_requests(sampled));
  EXPECT_NEAR(mean, 0.25, 0.01);
  EXPECT_NEAR(variation, 1, 0.03);
  sampled.arrivals = Arrivals::gamma;
  for (const double burstiness : {0.25, 1.0, 4.0}) {  // variation 1 / sqrt(shape)
    sampled.burstiness = burstiness;
    std::tie(mean, variation) = gaps_of(*sample_requests(sampled));
    EXPECT_NEAR(mean, 0.25, 0.01) << burstiness;
    EXPECT_NEAR(variation, 1 / std::sqrt(burstiness), 0.05) << burstiness;
  }
  sampled.arrivals = Arrivals::constant;
  std::tie(mean, variation) = gaps_of(*sample_requests(sampled));
  EXPECT_NEAR(mean, 0.25, 1e-9);
  EXPECT_LT(variation, 1e-3);
}

TEST(SampledRequests, LengthsStayInTheirRange) {
  const auto stream = *sample_requests({.count = 5000, .input = {100, 0.5}, .output = {10, 0.1}});
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

TEST(SampledRequests, RefusesArrivalsThatClocksCannotHold) {
  const auto late = sample_requests({.count = 20, .rate = 1e-6});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::limit_exceeded);
  EXPECT_TRUE(sample_requests({.count = 20, .rate = 1e-4}));
  EXPECT_TRUE(sample_requests({.count = 20, .rate = 1e-6, .clients = 2})) << "the rate is ignored";
}

TEST(SampledRequests, ARequestDependsOnlyOnItsSeedAndNumber) {
  const auto few = *sample_requests({.count = 10, .input = {100, 0.5}});
  const auto many = *sample_requests({.count = 100, .input = {100, 0.5}});
  const auto other = *sample_requests({.count = 10, .input = {100, 0.5}, .seed = 2});
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(few.requests[i], many.requests[i]);
  EXPECT_NE(few.requests, other.requests);
}

}  // namespace
}  // namespace orrery::serving
