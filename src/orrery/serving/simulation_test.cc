// SPDX-License-Identifier: Apache-2.0
//
// Closed forms and conservation laws. About 3 CPU seconds.
#include "orrery/serving/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "orrery/serving/latencies.h"
#include "orrery/serving/sampled_requests.h"
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
  return *sample_requests({.count = count, .rate = 0, .input = {input}, .output = {output}});
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
  // The requests that step records count, summed over time, are the latencies of all requests: from
  // the first step after each arrival, because a step counts requests when it starts.
  const StepCost cost(linear_parts());
  const RequestStream stream = *sample_requests({.count = 2000, .rate = 20, .output = {64}});
  const auto run = serve(stream, large_setup(), cost);
  ASSERT_TRUE(run);
  const auto& steps = run->steps[0];
  double latencies = 0;
  for (const RequestTimes& one : run->times) {
    const auto first = std::ranges::lower_bound(steps, one.arrival, {}, &StepRecord::start);
    ASSERT_NE(first, steps.end());
    latencies += seconds(one.last_token - first->start);
  }
  const ServiceMetrics metrics = measure(stream, large_setup(), *run);
  const double counted = (metrics.occupancy.running + metrics.occupancy.waiting) *
                         metrics.occupancy.busy * metrics.duration;
  EXPECT_NEAR(counted, latencies, 1e-6 * latencies);
  EXPECT_GT(metrics.occupancy.waiting, 0);
}

TEST(Serving, IntervalsCountAllTokens) {
  const StepCost cost(linear_parts());
  const RequestStream stream = *sample_requests({.count = 200, .rate = 20, .output = {3}});
  const auto run = serve(stream, large_setup(), cost);
  ASSERT_TRUE(run);
  double output = 0;
  for (const ServiceInterval& one : intervals_of(large_setup(), *run, 7))
    output += one.output_per_s * (one.end - one.start);
  EXPECT_NEAR(output, static_cast<double>(stream.output_tokens()), 1e-6);
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
  // Concurrent requests: the first two start on different instances, and the prefix of each
  // attracts the others, although instances without requests are less loaded.
  shared = at_once(8, 512, 100);
  for (std::size_t i = 0; i < 8; ++i) {
    shared.requests[i].arrival = us(100'000) * static_cast<std::int64_t>(i);
    shared.requests[i].prefix = {{i == 1 || i == 7 ? 1u : 0u, 512}};
  }
  EXPECT_EQ(count(Routing::prefix_aware, shared), (std::vector<int>{6, 2, 0, 0}));
  EXPECT_EQ(count(Routing::least_loaded, shared), (std::vector<int>{2, 2, 2, 2}));
}

TEST(Serving, RefusesAPromptThatNoStepCanComputeCompletely) {
  const StepCost cost(linear_parts());
  for (const Engine engine :
       {Engine::vllm, Engine::sglang, Engine::trtllm, Engine::static_batches}) {
    ServingSetup setup = large_setup();
    setup.options.engine = engine;
    setup.options.enable_chunked_prefill = false;
    setup.options.max_num_batched_tokens = 512;
    const auto run = serve(at_once(3, 500, 13), setup, cost);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, Errc::limit_exceeded);
    EXPECT_TRUE(serve(at_once(3, 500, 12), setup, cost));
  }
}

TEST(Serving, ManyInstancesCostLittle) {
  // 2,000 instances and 20,000 requests. Under 1 CPU second; a scan of all instances at each event
  // would need over 10.
  const StepCost cost(linear_parts());
  ServingSetup setup = large_setup();
  setup.instances = 2000;
  const RequestStream stream =
      *sample_requests({.count = 20'000, .rate = 2000, .input = {64}, .output = {16}});
  const std::clock_t start = std::clock();
  const auto run = serve(stream, setup, cost);
  const double cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(run);
  EXPECT_LT(cpu, 5);
  for (const auto& steps : run->steps) EXPECT_FALSE(steps.empty());
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

TEST(Serving, TheServerTakesTimeForEachTokenOfAPrompt) {
  ServingSetup setup = large_setup();
  setup.options.server.request = us(1000);
  setup.options.server.prompt_token = us(2);
  RequestStream stream = at_once(2, 1000, 1);
  stream.requests[1].input = 10;
  stream.requests[1].arrival = us(500);
  const StepCost cost(linear_parts());
  const auto run = serve(stream, setup, cost);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->steps[0][0].start, us(1000 + 2 * 1000));
  // The short prompt is read in 1,020 us, but is queued behind the long one.
  EXPECT_EQ(run->steps[0][0].sequences, 2);
}

TEST(Sglang, ReceivesRequestsEverySoManySteps) {
  const StepCost cost(linear_parts());
  for (const std::int64_t interval : {1, 7, 30}) {
    ServingSetup setup = large_setup();
    setup.options.engine = Engine::sglang;
    setup.options.async_scheduling = false;
    setup.options.scheduler_recv_interval = interval;
    RequestStream stream = at_once(2, 100, 100);
    stream.requests[1].arrival = us(25'000);  // in the second decode step
    const auto run = serve(stream, setup, cost);
    ASSERT_TRUE(run);
    // The first step computes the first prompt; the queue is looked at after it.
    std::size_t prompt = 1;
    while (run->steps[0][prompt].decodes > 0) ++prompt;
    EXPECT_EQ(prompt, static_cast<std::size_t>(std::max<std::int64_t>(1 + interval, 3)));
  }
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

/// A request of 1,000 tokens, and two of 120 that start when SGLang expects few more tokens of it:
/// 600 steps later. Then fewer than 80 blocks of 16 do not hold all three.
ServingRun retracting_run(std::int64_t blocks) {
  ServingSetup setup = large_setup();
  setup.options.engine = Engine::sglang;
  setup.options.async_scheduling = false;
  setup.blocks = blocks;
  RequestStream stream = at_once(3, 32, 120);
  stream.requests[0].output = 1000;
  stream.requests[1].input = 64;
  stream.requests[1].arrival = stream.requests[2].arrival = us(8'000'000);
  const StepCost cost(linear_parts());
  const auto run = serve(stream, setup, cost);
  EXPECT_TRUE(run);
  return *run;
}

TEST(Sglang, RetractsTheLongestPromptOfThoseWithTheFewestTokens) {
  const ServingRun run = retracting_run(72);
  EXPECT_EQ(run.preemptions, 1u);
  EXPECT_EQ(run.times[1].preemptions, 1u);
}

TEST(Sglang, ComputesTheOutputOfARetractedRequestAgain) {
  const ServingRun run = retracting_run(72);
  // Its prompt stays in the cache, its generated tokens do not: the last prompt of the run.
  std::int64_t again = 0;
  for (const StepRecord& step : run.steps[0])
    if (step.decodes == 0) again = step.tokens;
  EXPECT_GT(again, 96) << "complete blocks of outputs are not cached";
  EXPECT_LT(again, 64 + 96) << "the prompt is cached";
}

TEST(Sglang, ExpectsLongOutputsAfterARetraction) {
  // 920 of 1,120 tokens are generated, and 20 more of both requests are expected: a share of 0.86.
  // The retracted request waits for the end of the first one. At a share of 0.7 it would start 0.8
  // s earlier, when the other short one ends.
  const ServingRun run = retracting_run(75);
  ASSERT_EQ(run.times[1].preemptions, 1u);
  EXPECT_GT(run.times[1].last_token, run.times[0].last_token);
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
