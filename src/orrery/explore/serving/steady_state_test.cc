// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/serving/steady_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "orrery/serving/sampled_requests.h"
#include "orrery/serving/serving_testing.h"

namespace orrery::explore {
namespace {

using serving::Engine;
using serving::Request;
using serving::RequestStream;
using serving::ServiceMetrics;
using serving::ServingSetup;
using serving::StepCost;
using serving_testing::linear_parts;

ServingSetup setup_of(Engine engine, std::int64_t instances = 1) {
  ServingSetup setup;
  setup.options.engine = engine;
  setup.instances = instances;
  setup.blocks = 100'000;
  return setup;
}

RequestStream poisson(double rate, std::int64_t count = 2000) {
  return *serving::sample_requests(
      {.count = count, .rate = rate, .input = {500, 0.5}, .output = {100, 0.5}});
}

TEST(SteadyState, DecodingFollowsLittlesLaw) {
  // Constant parts: a step of n tokens has 10 ms + n x 10 us + keys x 10 ns (serving_testing.h).
  const StepCost cost(linear_parts());
  RequestStream stream = poisson(10);
  for (Request& one : stream.requests) one.input = 1, one.output = 100;
  const SteadyState made = steady_state(moments_of(stream), setup_of(Engine::vllm), cost);
  ASSERT_FALSE(made.overloaded);
  const double rate = moments_of(stream).rate;
  EXPECT_NEAR(made.sequences, rate * 99 * made.metrics.tpot.mean, 1e-3 * made.sequences);
}

TEST(SteadyState, MeansAreThoseOfSimulations) {
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm})
    for (const double rate : {2.0, 10.0, 20.0}) {
      const StepCost cost(linear_parts());
      const RequestStream stream = poisson(rate);
      const ServingSetup setup = setup_of(engine);
      const SteadyState made = steady_state(moments_of(stream), setup, cost);
      ASSERT_FALSE(made.overloaded) << rate;
      const auto run = serving::serve(stream, setup, cost);
      ASSERT_TRUE(run);
      const ServiceMetrics measured = serving::measure(stream, setup, *run);
      const auto where = testing::Message() << config::enum_name(engine) << " " << rate;
      EXPECT_NEAR(made.metrics.tpot.mean / measured.tpot.mean, 1, 0.05) << where;
      EXPECT_NEAR(made.metrics.ttft.mean / measured.ttft.mean, 1, 0.25) << where;
      EXPECT_NEAR(made.metrics.latency.mean / measured.latency.mean, 1, 0.06) << where;
      EXPECT_NEAR(made.metrics.tpot.p99 / measured.tpot.p99, 1, 0.2) << where;
      EXPECT_NEAR(made.metrics.ttft.p99 / measured.ttft.p99, 1, 0.5) << where;
    }
}

TEST(SteadyState, MoreInstancesAreNeverSlower) {
  const StepCost cost(linear_parts());
  const StreamMoments stream = moments_of(poisson(40));
  double last = std::numeric_limits<double>::infinity();
  bool was_overloaded = true;
  for (std::int64_t instances = 1; instances <= 64; instances *= 2) {
    const SteadyState made = steady_state(stream, setup_of(Engine::vllm, instances), cost);
    EXPECT_TRUE(was_overloaded || !made.overloaded);
    was_overloaded = made.overloaded;
    if (made.overloaded) continue;
    EXPECT_LE(made.metrics.tpot.mean, last);
    last = made.metrics.tpot.mean;
  }
  EXPECT_FALSE(was_overloaded);
}

TEST(SteadyState, IsOverloadedWhereQueuesGrow) {
  const StepCost cost(linear_parts());
  const ServingSetup setup = setup_of(Engine::vllm);
  double highest = 0;
  for (double rate = 5; rate < 400; rate *= 1.2)
    if (!steady_state(moments_of(poisson(rate)), setup, cost).overloaded) highest = rate;
  const auto waiting = [&](double rate) {
    const RequestStream stream = poisson(rate, 4000);
    return serving::measure(stream, setup, *serving::serve(stream, setup, cost)).waiting.mean;
  };
  EXPECT_GT(waiting(highest * 1.5), 10 * waiting(highest * 0.8));
}

TEST(StreamMoments, CountRepeatedPrefixes) {
  RequestStream stream;
  for (int i = 0; i < 4; ++i) {
    Request one;
    one.arrival = us(1000 * i);
    one.input = 100;
    one.output = 10;
    one.prefix = {{7, 60}};
    stream.requests.push_back(one);
  }
  const StreamMoments made = moments_of(stream);
  EXPECT_DOUBLE_EQ(made.cached, 3 * 60 / 400.0);
  EXPECT_DOUBLE_EQ(made.rate, 1000);
  EXPECT_DOUBLE_EQ(made.gap_variation, 0);
  EXPECT_DOUBLE_EQ(made.keys, 105);
  stream.clients = 2;
  EXPECT_EQ(moments_of(stream).rate, 0);
}

}  // namespace
}  // namespace orrery::explore
