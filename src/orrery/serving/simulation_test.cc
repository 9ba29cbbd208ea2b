// SPDX-License-Identifier: Apache-2.0
//
// Closed forms and conservation laws. About 2 CPU seconds.
#include "orrery/serving/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orrery/serving/drawn_requests.h"
#include "orrery/serving/latencies.h"
#include "orrery/serving/serving_testing.h"

namespace orrery::serving {
namespace {

using serving_testing::linear_parts;
using serving_testing::random_setup;
using serving_testing::random_stream;

ServingSetup large_setup() {
  ServingSetup setup;
  setup.blocks = 100'000;
  return setup;
}

RequestStream at_once(std::int64_t count, std::int64_t input, std::int64_t output) {
  return draw_requests(
      {.count = count, .arrivals = Arrivals::at_once, .input = {input}, .output = {output}});
}

TEST(Serving, OneRequestAloneHasTheTimesOfItsSteps) {
  const StepCost cost(linear_parts());
  const auto run = serve(at_once(1, 1000, 3), large_setup(), cost);
  ASSERT_TRUE(run);
  // One step of 1,000 tokens, then two of one token with 1,001 and 1,002 keys. Without attention to
  // the prompt, interpolation is exact for these linear parts.
  EXPECT_EQ(run->times[0].first_token, us(20'000));
  const Time second = us(10'000 + 10) + ps(10'010'000), third = us(10'000 + 10) + ps(10'020'000);
  EXPECT_NEAR(seconds(run->times[0].last_token), seconds(us(20'000) + second + third), 1e-9);
  EXPECT_EQ(run->steps[0].size(), 3u);
}

TEST(Serving, APromptAboveTheBudgetIsComputedInChunks) {
  ServingSetup setup = large_setup();
  setup.options.max_num_batched_tokens = 512;
  const StepCost cost(linear_parts());
  const auto run = serve(at_once(1, 1100, 1), setup, cost);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->steps[0].size(), 3u);
  EXPECT_EQ(run->steps[0][0].tokens, 512);
  EXPECT_EQ(run->steps[0][2].tokens, 1100 - 1024);
  EXPECT_EQ(run->times[0].first_token, run->end);
}

TEST(Serving, SaturatedDecodingHasTheRateOfItsSteps) {
  // 64 sequences of equal length: a step of 64 tokens generates 64 tokens.
  const StepCost cost(linear_parts());
  ServingSetup setup = large_setup();
  setup.options.max_num_seqs = 64;
  const auto run = serve(at_once(64, 16, 2000), setup, cost);
  ASSERT_TRUE(run);
  const auto& steps = run->steps[0];
  const StepRecord& step = steps[steps.size() / 2];
  EXPECT_EQ(step.decodes, 64);
  // Half of the outputs are generated: 16 + 1,000 keys each.
  EXPECT_NEAR(seconds(step.end - step.start), 0.01 + 64e-5 + 64 * 1016e-8, 1e-5);
}

TEST(Serving, LittlesLawHolds) {
  // The mean number of requests in the system is the arrival rate times the mean latency: exactly
  // so for the integral over the complete run.
  const StepCost cost(linear_parts());
  const RequestStream stream = draw_requests({.count = 2000, .rate = 20, .output = {64}});
  const auto run = serve(stream, large_setup(), cost);
  ASSERT_TRUE(run);
  double latencies = 0;
  std::vector<std::pair<Time, int>> changes;
  for (const RequestTimes& one : run->times) {
    latencies += seconds(one.last_token - one.arrival);
    changes.emplace_back(one.arrival, 1);
    changes.emplace_back(one.last_token, -1);
  }
  std::ranges::sort(changes);
  double integral = 0, inside = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    inside += changes[i].second;
    integral += inside * seconds(changes[i + 1].first - changes[i].first);
  }
  EXPECT_NEAR(integral, latencies, 1e-6 * latencies);
  // Steps record the same number: running and waiting requests while steps run.
  const ServiceMetrics metrics = measure(stream, large_setup(), *run);
  const double mean = latencies / metrics.duration;
  const double recorded =
      (metrics.occupancy.running + metrics.occupancy.waiting) * metrics.occupancy.busy;
  EXPECT_NEAR(recorded, mean, 0.05 * mean);
}

/// Tokens and blocks of a run are conserved.
void expect_conserved(std::uint64_t seed) {
  const RequestStream stream = random_stream(seed);
  const ServingSetup setup = random_setup(seed);
  const StepCost cost(linear_parts());
  const auto run = serve(stream, setup, cost);
  ASSERT_TRUE(run) << seed << " " << to_string(run.error());
  std::int64_t computed = 0, cached = 0, samples = 0;
  for (const auto& steps : run->steps) {
    Time last{};
    for (const StepRecord& step : steps) {
      EXPECT_GE(step.start, last) << seed << ": steps of an instance overlap";
      EXPECT_GT(step.end, step.start) << seed;
      EXPECT_LE(step.tokens, setup.options.max_num_batched_tokens) << seed;
      EXPECT_LE(step.sequences, setup.options.max_num_seqs) << seed;
      EXPECT_LE(step.held_blocks, setup.blocks) << seed;
      last = step.end;
      computed += step.tokens;
    }
  }
  for (std::size_t i = 0; i < run->times.size(); ++i) {
    const RequestTimes& one = run->times[i];
    EXPECT_TRUE(one.ended) << seed << " request " << i;
    EXPECT_LE(one.arrival, one.started) << seed;
    EXPECT_LT(one.started, one.first_token) << seed;
    EXPECT_LE(one.first_token, one.last_token) << seed;
    cached += one.cached;
    samples += stream.requests[i].output;
  }
  // Every token but the last of an output is computed once; preempted ones are computed again.
  const std::int64_t once =
      stream.input_tokens() + samples - static_cast<std::int64_t>(stream.requests.size()) - cached;
  if (run->preemptions == 0)
    EXPECT_EQ(computed, once) << seed;
  else
    EXPECT_GE(computed, once) << seed;
  std::int64_t gaps = 0;
  for (const Request& one : stream.requests) gaps += one.output - 1;
  EXPECT_EQ(static_cast<std::int64_t>(run->gaps.size()), gaps) << seed;
}

TEST(Serving, TokensAndBlocksOfRandomStreamsAreConserved) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    expect_conserved(seed);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(Serving, EqualQuestionsHaveEqualAnswers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const StepCost one(linear_parts()), other(linear_parts());
    const auto a = serve(random_stream(seed), random_setup(seed), one);
    const auto b = serve(random_stream(seed), random_setup(seed), other);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->end, b->end);
    EXPECT_EQ(a->gaps, b->gaps);
  }
}

TEST(Serving, PreemptsTheRequestThatStartedLast) {
  ServingSetup setup = large_setup();
  setup.options.enable_prefix_caching = setup.options.async_scheduling = false;
  setup.blocks = 10;  // 160 tokens: two requests of 64 + 60 tokens do not fit together
  const StepCost cost(linear_parts());
  const auto run = serve(at_once(2, 64, 60), setup, cost);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->preemptions, 1u);
  EXPECT_EQ(run->times[0].preemptions, 0u);
  EXPECT_EQ(run->times[1].preemptions, 1u);
  EXPECT_LT(run->times[0].last_token, run->times[1].last_token);
}

TEST(Serving, SharedPrefixesSaveTheirComputation) {
  RequestStream stream = at_once(2, 1024, 2);
  for (Request& one : stream.requests) one.prefix = {{1, 1024}};
  stream.requests[1].arrival = us(1'000'000);
  const StepCost cost(linear_parts());
  const auto run = serve(stream, large_setup(), cost);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->times[1].cached, 1008);
  const Time first = run->times[0].first_token - run->times[0].arrival;
  const Time second = run->times[1].first_token - run->times[1].arrival;
  EXPECT_EQ(first - second, us(10'080)) << "1,008 tokens of 10 us";
}

TEST(Serving, AClosedLoopKeepsItsClientsBusy) {
  RequestStream stream = at_once(40, 100, 20);
  stream.clients = 4;
  const StepCost cost(linear_parts());
  const ServingSetup setup = large_setup();
  const auto run = serve(stream, setup, cost);
  ASSERT_TRUE(run);
  const ServiceMetrics metrics = measure(stream, setup, *run);
  EXPECT_LE(metrics.occupancy.most_running, 4);
  // Throughput = clients / latency.
  EXPECT_NEAR(metrics.requests_per_s, 4 / metrics.latency.mean, 0.02 * metrics.requests_per_s);
}

TEST(Serving, RoutersSpreadRequests) {
  const StepCost cost(linear_parts());
  ServingSetup setup = large_setup();
  setup.instances = 4;
  const auto count = [&](Routing routing, const RequestStream& stream) {
    setup.routing = routing;
    const auto run = serve(stream, setup, cost);
    std::vector<int> by_instance(4);
    for (const RequestTimes& one : run->times) ++by_instance[one.instance];
    return by_instance;
  };
  const RequestStream equal = at_once(40, 100, 20);
  EXPECT_EQ(count(Routing::round_robin, equal), (std::vector<int>{10, 10, 10, 10}));
  EXPECT_EQ(count(Routing::least_loaded, equal), (std::vector<int>{10, 10, 10, 10}));
  // Two prefixes, one after another: each stays with the instance that computed it.
  RequestStream shared = at_once(8, 512, 4);
  for (std::size_t i = 0; i < 8; ++i) {
    shared.requests[i].arrival = us(1'000'000) * static_cast<std::int64_t>(i);
    shared.requests[i].prefix = {{i % 2, 512}};
  }
  EXPECT_EQ(count(Routing::prefix_aware, shared), (std::vector<int>{8, 0, 0, 0}))
      << "an idle cluster has no reason to use a second instance";
}

TEST(Serving, RefusesARequestThatTheCacheCannotHold) {
  ServingSetup setup = large_setup();
  setup.blocks = 10;
  const StepCost cost(linear_parts());
  const auto run = serve(at_once(1, 150, 11), setup, cost);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::limit_exceeded);
  EXPECT_EQ(run.error().where, "request 0");
}

TEST(StaticBatches, ABatchStartsWhenTheLastOneHasEnded) {
  ServingSetup setup = large_setup();
  setup.options.engine = Engine::static_batches;
  setup.options.max_num_seqs = 4;
  setup.options.async_scheduling = false;
  const StepCost cost(linear_parts());
  const auto run = serve(at_once(6, 100, 10), setup, cost);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->times[0].last_token, run->times[3].last_token);
  EXPECT_EQ(run->times[4].started, run->times[3].last_token);
  EXPECT_EQ(run->steps[0][0].tokens, 400);
}

TEST(Sglang, ComputesPromptsBeforeItDecodes) {
  ServingSetup setup = large_setup();
  setup.options.engine = Engine::sglang;
  setup.options.async_scheduling = false;
  RequestStream stream = at_once(2, 100, 10);
  stream.requests[1].arrival = us(25'000);
  const StepCost cost(linear_parts());
  const auto run = serve(stream, setup, cost);
  ASSERT_TRUE(run);
  for (const StepRecord& step : run->steps[0])
    EXPECT_TRUE(step.decodes == 0 || step.decodes == step.sequences) << "no step is mixed";
}

TEST(Trtllm, StartsOnlyRequestsWhoseLongestOutputFits) {
  ServingSetup setup = large_setup();
  setup.options.engine = Engine::trtllm;
  setup.options.enable_prefix_caching = false;
  setup.blocks = 10;
  const StepCost cost(linear_parts());
  const auto run = serve(at_once(2, 64, 60), setup, cost);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->preemptions, 0u);
  EXPECT_GE(run->times[1].started, run->times[0].last_token);
}

}  // namespace
}  // namespace orrery::serving
