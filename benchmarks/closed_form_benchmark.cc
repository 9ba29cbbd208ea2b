// SPDX-License-Identifier: Apache-2.0
//
// Computing the ends of phases in closed form, which replaces all messages of a phase.
#include <benchmark/benchmark.h>

#include <random>

#include "orrery/model/collective/algorithms/closed_form.h"
#include "orrery/model/collective/phase_factory.h"

namespace {

using orrery::Bandwidth;
using orrery::graph::CollectiveType;
using orrery::model::DelayBetween;
using orrery::model::PhaseSpec;
using orrery::platform::Algorithm;
using orrery::platform::Block;
using Times = std::vector<std::int64_t>;

PhaseSpec all_reduce(Algorithm algorithm, std::uint32_t size, std::int64_t window,
                     Block block = Block::switched) {
  orrery::platform::Platform platform;
  platform.dims = {{block, size, Bandwidth(50e9), 500}};
  platform.device.memory = Bandwidth(2e12);
  platform.collectives.endpoint_delay = orrery::Time(10'000);
  const orrery::model::MultiDimFabric fabric(platform);
  orrery::model::PhaseRequest request;
  request.algorithm = {algorithm, window};
  request.ring.size = size;
  request.data = std::int64_t{65536} * size;
  return orrery::model::PhaseFactory(platform, &fabric).make(request).value();
}

/// Start times within `spread` picoseconds.
Times uneven(std::uint32_t size, std::int64_t spread) {
  std::mt19937_64 random(1);
  Times begins;
  for (std::uint32_t p = 0; p < size; ++p)
    begins.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread)));
  return begins;
}

void run(benchmark::State& state, const PhaseSpec& spec, const Times& begins) {
  Times ends(begins.size());
  const DelayBetween delay;
  for (auto _ : state) {
    orrery::model::phase_ends(spec, begins, ends, delay);
    benchmark::DoNotOptimize(ends.data());
    benchmark::ClobberMemory();
  }
  const bool tree = spec.request.algorithm.algorithm == Algorithm::double_binary_tree;
  const auto messages = tree ? 2.0 * static_cast<double>(begins.size() - 1)
                             : static_cast<double>(begins.size()) * spec.steps;
  state.counters["messages_per_second"] =
      benchmark::Counter(messages, benchmark::Counter::kIsIterationInvariantRate);
}

constexpr std::int64_t kMicroseconds = 1'000'000;

void BM_Ring(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  run(state, all_reduce(Algorithm::ring, size, -1, Block::ring), uneven(size, 100 * kMicroseconds));
}
BENCHMARK(BM_Ring)->Arg(8)->Arg(64)->Arg(1024)->Arg(65536);

void BM_HalvingDoubling(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  run(state, all_reduce(Algorithm::halving_doubling, size, -1), uneven(size, 100 * kMicroseconds));
}
BENCHMARK(BM_HalvingDoubling)->Arg(64)->Arg(4096);

// Arguments: positions, and spread of their start times in microseconds.
void BM_Direct(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  run(state, all_reduce(Algorithm::direct, size, -1), uneven(size, state.range(1) * kMicroseconds));
}
BENCHMARK(BM_Direct)->Args({8, 100})->Args({64, 1})->Args({64, 100})->Args({1024, 1});

// On a ring, where message times differ.
void BM_DirectFar(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  run(state, all_reduce(Algorithm::direct, size, -1, Block::ring),
      uneven(size, 100 * kMicroseconds));
}
BENCHMARK(BM_DirectFar)->Arg(64);

// Two messages in flight: replayed.
void BM_DirectWindow(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  run(state, all_reduce(Algorithm::direct, size, 2), uneven(size, 100 * kMicroseconds));
}
BENCHMARK(BM_DirectWindow)->Arg(8)->Arg(64);

void BM_Even(benchmark::State& state) {
  const auto algorithm = static_cast<Algorithm>(state.range(0));
  const PhaseSpec spec = all_reduce(algorithm, 4096, state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(orrery::model::uniform_duration(spec));
}
BENCHMARK(BM_Even)
    ->Args({static_cast<int>(Algorithm::ring), -1})
    ->Args({static_cast<int>(Algorithm::halving_doubling), -1})
    ->Args({static_cast<int>(Algorithm::direct), -1})
    ->Args({static_cast<int>(Algorithm::direct), 2});

}  // namespace

BENCHMARK_MAIN();
