// SPDX-License-Identifier: Apache-2.0
//
// Messages per second of the simulator, with inputs in memory: a ring all-reduce of synchronized
// ranks, and desynchronized ranks that send to each other.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "orrery/graph/builder.h"
#include "orrery/sim/simulate.h"
#include "shared_workloads.h"

namespace {

using namespace orrery;
using platform::Algorithm;
using platform::Block;

platform::Platform one_dim(Block block, std::int64_t size, Algorithm algorithm) {
  platform::Platform made;
  made.rules = platform::Rules::astra;
  made.dims = {{block, size, Bandwidth(50e9), 500.0}};
  auto& config = made.collectives;
  config.splits = 4;
  config.endpoint_delay = ns(10);
  made.device.memory = Bandwidth(1600e9);
  for (auto* plan : config.plans()) plan->per_dim = {{algorithm, -1}};
  return made;
}

graph::Workload all_reduce(std::uint32_t ranks) {
  graph::GraphBuilder builder("benchmark", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective.size = Bytes(64 << 20);
  builder.add(node);
  graph::Workload made;
  made.graphs = {benchmarks::finish(std::move(builder))};
  made.graph_of_rank.assign(ranks, 0);
  return made;
}

void simulate_all(benchmark::State& state, const graph::Workload& workload,
                  const platform::Platform& platform) {
  std::uint64_t messages = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto result = sim::simulate(workload, platform);
    if (!result || result->stall) return state.SkipWithError("the simulation fails or deadlocks");
    messages = result->messages;
    events = result->events;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(messages) * state.iterations());
  state.counters["messages"] = static_cast<double>(messages);
  state.counters["events"] = static_cast<double>(events);
}

void ring_all_reduce(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  simulate_all(state, all_reduce(ranks), one_dim(Block::ring, ranks, Algorithm::ring));
}
BENCHMARK(ring_all_reduce)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

void direct_all_reduce(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  simulate_all(state, all_reduce(ranks), one_dim(Block::switched, ranks, Algorithm::direct));
}
BENCHMARK(direct_all_reduce)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void drifting_messages(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  simulate_all(state, benchmarks::drifting(ranks, 32),
               one_dim(Block::switched, ranks, Algorithm::ring));
}
BENCHMARK(drifting_messages)->Arg(256)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
