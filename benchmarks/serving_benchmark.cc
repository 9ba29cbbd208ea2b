// SPDX-License-Identifier: Apache-2.0
//
// Serving: lookups of step times, and 23,608 requests (the size of Mooncake's public trace of
// conversations) on 8 instances. Step times in closed form, so that the simulation itself is
// measured. serving_benchmark.txt has the results.
#include <benchmark/benchmark.h>

#include "orrery/serving/latencies.h"
#include "orrery/serving/sampled_requests.h"
#include "orrery/serving/serving_testing.h"

namespace {

using namespace orrery;
using namespace orrery::serving;

void lookup(benchmark::State& state) {
  const StepCost cost(serving_testing::linear_parts());
  StepShape shape{
      .tokens = 0, .samples = 0, .decodes = 0, .decode_keys = 0, .chunks = {{300, 9000}}};
  std::int64_t i = 0;
  for (auto _ : state) {
    shape.decodes = shape.samples = 1 + (i * 7919) % 200;
    shape.decode_keys = shape.decodes * (100 + (i * 104729) % 8000);
    shape.tokens = shape.decodes + 300;
    shape.chunks[0].past = (i * 1299709) % 9000;
    benchmark::DoNotOptimize(cost(shape));
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(lookup);

/// `prefixes`: whether requests share prefixes and the router follows them.
void requests(benchmark::State& state) {
  const bool prefixes = state.range(0) != 0;
  SampledRequests sampled{
      .count = 23'608, .rate = 100, .input = {8'000, 0.5}, .output = {350, 0.5}};
  if (prefixes) sampled.shared_prefixes = 2'000, sampled.prefix_tokens = 4'000;
  const RequestStream stream = *sample_requests(sampled);
  ServingSetup setup;
  setup.options.max_num_batched_tokens = 8192;
  setup.options.max_num_seqs = 256;
  setup.instances = 8;
  setup.routing = prefixes ? Routing::prefix_aware : Routing::least_loaded;
  setup.blocks = 60'000;
  const StepCost cost(serving_testing::linear_parts());
  for (auto _ : state) {
    const auto run = serve(stream, setup, cost);
    const ServiceMetrics metrics = measure(stream, setup, *run);
    benchmark::DoNotOptimize(metrics.ttft.mean);
    state.counters["steps"] = static_cast<double>(metrics.steps);
    state.counters["preemptions"] = static_cast<double>(metrics.preemptions);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.requests.size()));
}
BENCHMARK(requests)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
