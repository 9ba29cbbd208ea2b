// SPDX-License-Identifier: Apache-2.0
//
// Searches compared with the simulation of every setup. About 5 CPU seconds.
#include "orrery/explore/serving/service_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "orrery/explore/serving/service_space.h"
#include "orrery/study/serving/infer.h"

namespace orrery::explore {
namespace {

ServiceQuestion question(const std::string& slo, double rate, const std::string& gpu = "h100-sxm") {
  ServiceQuestion made;
  made.search = true;
  made.service.model = "llama-3.1-8b";
  made.service.gpu = gpu;
  made.service.slo = slo;
  made.service.load.rate = rate;
  made.service.load.num_prompts = 200;
  made.threads = 1;
  return made;
}

/// Simulates `setup` as a user would.
study::Inference served(const study::InferQuestion& setup) {
  Findings findings;
  auto made = study::infer(setup, findings);
  EXPECT_TRUE(made) << to_string(made.error());
  return *std::move(made);
}

/// The fewest devices of all setups with up to 12 instances that meet the limits, by simulation.
std::int64_t fewest_devices(const ServiceQuestion& asked) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t tp : {1, 2, 4, 8})
    for (std::int64_t instances = 1; instances <= 12 && tp * instances < fewest; ++instances) {
      study::InferQuestion setup = asked.service;
      setup.engine.tensor_parallel_size = tp;
      setup.instances = instances;
      if (served(setup).meets_limits()) fewest = tp * instances;
    }
  return fewest;
}

TEST(ServiceSearch, FindsTheFewestDevicesOfAllSimulations) {
  // Each latency with each statistic, and limits of requests.
  for (const char* const slo :
       {"ttft_mean=60ms", "ttft_p50=55ms", "ttft_p90=80ms", "ttft_p99=120ms", "tpot_mean=12ms",
        "tpot_p50=12ms", "tpot_p90=14ms", "tpot_p99=15ms", "itl_mean=12ms", "itl_p50=10ms",
        "itl_p90=30ms", "itl_p99=30ms", "latency_mean=1.5s", "latency_p50=1.5s", "latency_p90=2s",
        "latency_p99=2s", "ttft=100ms,tpot=14ms", "ttft=90ms,share=0.9",
        "ttft_p99=150ms,tpot_p99=12ms"}) {
    ServiceQuestion asked = question(slo, 40);
    asked.service.engine.max_num_seqs = 256;
    asked.service.engine.max_num_batched_tokens = 4096;
    const auto found = search_services(asked);
    ASSERT_TRUE(found) << to_string(found.error());
    ASSERT_TRUE(found->any_meets()) << slo;
    EXPECT_EQ(found->best.front().devices, fewest_devices(asked)) << slo;
  }
}

TEST(ServiceSearch, AnotherRunOfTheBestHasTheSameFigures) {
  for (const serving::Engine engine :
       {serving::Engine::vllm, serving::Engine::sglang, serving::Engine::trtllm}) {
    ServiceQuestion asked = question("ttft_p99=200ms,tpot_p99=20ms", 30, "h100-sxm,b200");
    asked.service.engine.engine = engine;
    const auto found = search_services(asked);
    ASSERT_TRUE(found) << to_string(found.error());
    ASSERT_TRUE(found->any_meets());
    for (const ServicePoint& one : found->best) {
      const study::Inference again = served(one.question);
      EXPECT_EQ(again.meets_limits(), one.meets);
      EXPECT_EQ(again.devices(), one.devices);
      EXPECT_EQ(again.metrics.ttft.p99, one.simulated.ttft.p99);
      EXPECT_EQ(again.metrics.tpot.mean, one.simulated.tpot.mean);
      EXPECT_EQ(again.metrics.output_per_s, one.simulated.output_per_s);
    }
  }
}

TEST(ServiceSearch, TheFrontHasNoDominatedSetup) {
  const auto found = search_services(question("tpot_p99=20ms", 30, "h100-sxm,a100-80gb"));
  ASSERT_TRUE(found);
  EXPECT_GT(found->front.size(), 6u);
  for (const ServicePoint& a : found->front)
    for (const ServicePoint& b : found->front)
      EXPECT_FALSE(a.question.gpu == b.question.gpu && a.user_rate() > b.user_rate() &&
                   a.device_rate() > b.device_rate());
}

TEST(ServiceSearch, ThreadsDoNotChangeTheAnswer) {
  ServiceQuestion asked = question("ttft_p99=200ms", 30, "h100-sxm,b200");
  const auto one = search_services(asked);
  asked.threads = 3;
  const auto three = search_services(asked);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->estimated, three->estimated);
  EXPECT_EQ(one->simulations, three->simulations);
  ASSERT_EQ(one->best.size(), three->best.size());
  ASSERT_EQ(one->front.size(), three->front.size());
  for (std::size_t i = 0; i < one->best.size(); ++i) {
    EXPECT_EQ(one->best[i].devices, three->best[i].devices);
    EXPECT_EQ(one->best[i].question.gpu, three->best[i].question.gpu);
    EXPECT_EQ(one->best[i].simulated.latency.p99, three->best[i].simulated.latency.p99);
  }
  for (std::size_t i = 0; i < one->front.size(); ++i)
    EXPECT_EQ(one->front[i].user_rate(), three->front[i].user_rate());
}

TEST(ServiceSearch, RefusesSetupsThatDoNotFit) {
  ServiceQuestion asked = question("tpot_p99=60ms", 2, "h100-sxm,a100-40gb");
  asked.service.model = "llama-3.1-70b";
  asked.service.load.num_prompts = 50;
  const auto found = search_services(asked);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_GT(found->refused.at("memory"), 0u);
  EXPECT_TRUE(found->any_meets());
  // 141 GB of weights fit on no single device of either kind.
  for (const ServicePoint& one : found->best)
    EXPECT_GT(one.question.engine.tensor_parallel_size, 1);
  asked.service.engine.tensor_parallel_size = 1;
  const auto none = search_services(asked);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::limit_exceeded);
}

TEST(ServiceSearch, ModelsAboveANodeUseSeveral) {
  ServiceQuestion asked = question("tpot_p99=100ms", 1, "a100-40gb");
  asked.service.model = "llama-3.1-405b";
  asked.service.load.num_prompts = 20;
  asked.service.set = {"model.kv_heads=32"};  // the model's 8 heads of keys divide over a node
  const auto found = search_services(asked);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->best.front().question.engine.tensor_parallel_size, 32);
}

TEST(ServiceSearch, WithoutASolutionTheNearestIsFirst) {
  const auto found = search_services(question("ttft_p99=3ms", 5));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->any_meets());
  EXPECT_EQ(found->missed, found->setups);
  for (const ServicePoint& one : found->best) EXPECT_GE(one.ratio, found->best.front().ratio);
  // The time of a request before it is queued is above the limit.
  EXPECT_GT(found->best.front().ratio, 5.0 / 3);
}

TEST(ServiceSearch, ALoadThatSoonEndsIsServedThoughItsRateIsEndless) {
  ServiceQuestion asked = question("tpot_p99=15ms", 1e6);
  asked.service.engine.max_num_seqs = 256;
  asked.service.engine.max_num_batched_tokens = 4096;
  const auto found = search_services(asked);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->missed, found->setups);  // by the estimate
  ASSERT_TRUE(found->any_meets());
  study::InferQuestion fewer = found->best.front().question;
  ASSERT_GT(fewer.instances, 1);
  --fewer.instances;
  EXPECT_FALSE(served(fewer).meets_limits());
}

TEST(ServiceSearch, CostAndDevicesAreDifferentObjectives) {
  ServiceQuestion asked = question("tpot_p99=20ms", 60, "h100-sxm,b200");
  asked.service.price = "h100-sxm=1,b200=100";
  const auto cheap = search_services(asked);
  ASSERT_TRUE(cheap) << to_string(cheap.error());
  EXPECT_EQ(cheap->best.front().question.gpu, "h100-sxm");
  asked.objective = ServiceObjective::devices;
  const auto few = search_services(asked);
  ASSERT_TRUE(few);
  EXPECT_LE(few->best.front().devices, cheap->best.front().devices);
  EXPECT_GE(few->best.front().cost(), cheap->best.front().cost());
}

TEST(ServiceSearch, StatedSizesAreKept) {
  ServiceQuestion asked = question("tpot_p99=20ms", 20);
  asked.service.engine.tensor_parallel_size = 2;
  asked.service.engine.max_num_seqs = 48;
  asked.service.instances = 3;
  const auto found = search_services(asked);
  ASSERT_TRUE(found);
  for (const auto& points : {found->best, found->front})
    for (const ServicePoint& one : points) {
      EXPECT_EQ(one.devices, 6);
      EXPECT_EQ(one.question.engine.max_num_seqs, 48);
    }
}

TEST(ServiceSearch, ExpertsAreSeparatedToo) {
  ServiceQuestion asked = question("tpot_p99=1s", 5);
  asked.service.model = "qwen3-30b-a3b";
  const auto sizes = instance_sizes(asked.service);
  ASSERT_TRUE(sizes);
  const auto has = [&](std::int64_t tp, std::int64_t dp, bool experts) {
    return std::ranges::any_of(*sizes, [&](const InstanceSize& one) {
      const study::EngineQuestion& engine = one.question.engine;
      return engine.tensor_parallel_size == tp && engine.data_parallel_size == dp &&
             engine.enable_expert_parallel == experts;
    });
  };
  EXPECT_TRUE(has(4, 1, true) && has(4, 1, false) && has(2, 4, true) && has(1, 1, false));
  EXPECT_FALSE(has(1, 1, true) || has(2, 4, false) || has(8, 2, true));
  asked.service.engine.enable_expert_parallel = true;
  asked.service.model = "llama-3.1-8b";
  EXPECT_FALSE(search_services(asked));
}

TEST(ServiceSearch, WrongQuestionsAreErrors) {
  const auto error_of = [](const ServiceQuestion& asked) {
    const auto found = search_services(asked);
    return found ? "" : found.error().where;
  };
  const ServiceQuestion fine = question("ttft_p99=1s", 5);
  const auto with = [&](const auto& change) {
    ServiceQuestion asked = fine;
    change(asked.service);
    return error_of(asked);
  };
  EXPECT_EQ(with([](auto& one) { one.slo = ""; }), "--slo");
  EXPECT_EQ(with([](auto& one) { one.slo = "ttft_p98=1s"; }), "--slo");
  EXPECT_EQ(with([](auto& one) { one.slo = "itl=1s"; }), "--slo");
  EXPECT_EQ(with([](auto& one) { one.slo = "ttft_p99=0s"; }), "--slo");
  EXPECT_EQ(with([](auto& one) { one.slo = "ttft_p99=1s,ttft_p99=2s"; }), "--slo");
  EXPECT_EQ(with([](auto& one) { one.slo = "ttft_p99=1s,share=0.9"; }), "--slo");
  EXPECT_EQ(with([](auto& one) { one.load.rate = 0; }), "--rate");
  EXPECT_EQ(with([](auto& one) {
              one.load.rate = 0;
              one.load.concurrency = 4;
            }),
            "--max-concurrency");
  EXPECT_EQ(with([](auto& one) { one.engine.engine = serving::Engine::static_batches; }),
            "--engine");
  EXPECT_EQ(with([](auto& one) { one.gpu = "h100-sxm,h100"; }), "--gpu");
  EXPECT_EQ(with([](auto& one) { one.price = "b200=3"; }), "--price");
  EXPECT_EQ(with([](auto& one) {
              one.gpu = "h100-sxm,b200";
              one.price = "b200=3";
            }),
            "--price");
  EXPECT_EQ(with([](auto& one) { one.model = "lama"; }), "--model");
  EXPECT_EQ(with([](auto& one) { one.engine.max_model_len = 5; }), "--max-model-len");
  ServiceQuestion asked = fine;
  asked.objective = ServiceObjective::cost;
  EXPECT_EQ(error_of(asked), "--objective");
}

}  // namespace
}  // namespace orrery::explore
