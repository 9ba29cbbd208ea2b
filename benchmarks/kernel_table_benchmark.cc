// SPDX-License-Identifier: Apache-2.0
//
// Answers from a table of measured kernels: at its points, between them, and from scattered points;
// also for repeated kernels, as in simulations, which ask for every node.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "orrery/model/compute/kernel_predictions.h"
#include "orrery/model/kernels/table/measured_table.h"

namespace {

using orrery::graph::Kernel;
using orrery::model::MeasuredTable;

Kernel gemm(double m, double n, double k) {
  Kernel kernel;
  kernel.operation = orrery::graph::Operation::gemm;
  kernel.a = kernel.b = kernel.out = orrery::graph::Format::bf16;
  kernel.sizes = {std::llround(m), std::llround(n), std::llround(k)};
  return kernel;
}

/// Times of a device with 1 PFLOP/s, 3 TB/s and 3 us for a launch.
MeasuredTable table_of(const std::vector<Kernel>& kernels) {
  orrery::model::MeasuredRows rows;
  rows.devices = {"device"};
  for (const Kernel& kernel : kernels) {
    const orrery::model::MinimumWork work = orrery::model::minimum_work(kernel);
    rows.rows.push_back({0, kernel, work.flops / 1e15 + work.bytes / 3e12 + 3e-6, 0});
  }
  orrery::Findings findings;
  return MeasuredTable::make(rows, findings);
}

/// 22³ points that grow by `ratio`.
std::vector<Kernel> grid(double ratio) {
  std::vector<Kernel> kernels;
  for (int m = 0; m < 22; ++m)
    for (int n = 0; n < 22; ++n)
      for (int k = 0; k < 22; ++k)
        kernels.push_back(
            gemm(32 * std::pow(ratio, m), 32 * std::pow(ratio, n), 32 * std::pow(ratio, k)));
  return kernels;
}

std::vector<Kernel> scattered(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = [&] { return 32 * std::exp2(static_cast<double>(random() % 10000) / 1000); };
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < count; ++i) kernels.push_back(gemm(size(), size(), size()));
  return kernels;
}

void ask(benchmark::State& state, const MeasuredTable& table, std::vector<Kernel> kernels) {
  std::shuffle(kernels.begin(), kernels.end(), std::mt19937_64(1));
  orrery::model::Silicon silicon;
  silicon.name = "device";
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.time(kernels[at], silicon));
    at = at + 1 == kernels.size() ? 0 : at + 1;
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_AtPointsOfAGrid(benchmark::State& state) {
  const std::vector<Kernel> kernels = grid(1.4);
  ask(state, table_of(kernels), kernels);
}
BENCHMARK(BM_AtPointsOfAGrid);

void BM_BetweenPointsOfAGrid(benchmark::State& state) {
  ask(state, table_of(grid(1.4)), scattered(10'000, 2));
}
BENCHMARK(BM_BetweenPointsOfAGrid);

void BM_BetweenScatteredPoints(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  ask(state, table_of(scattered(count, 1)), scattered(10'000, 2));
}
BENCHMARK(BM_BetweenScatteredPoints)->Arg(100)->Arg(10'000);

/// `auto` on an H100: consecutive nodes whose kernels are in a table.
void BM_SeenBefore(benchmark::State& state) {
  orrery::graph::KernelTable table;
  for (Kernel kernel : scattered(static_cast<std::size_t>(state.range(0)), 3)) {
    kernel.flops = 2 * kernel.sizes[0] * kernel.sizes[1] * kernel.sizes[2];
    kernel.bytes = 2 * kernel.sizes[0] * kernel.sizes[1];
    table.intern(kernel);
  }
  std::mt19937_64 random(4);
  std::vector<orrery::graph::KernelId> nodes(1 << 14);
  for (auto& node : nodes) node = static_cast<orrery::graph::KernelId>(random() % table.size());
  orrery::platform::Device device;
  device.name = device.entry = "h100-sxm";
  device.peak = device.rated = orrery::FlopRate(989.4e12);
  device.memory = orrery::Bandwidth(3.35e12);
  device.compute = orrery::TimeSource::automatic;
  const orrery::model::KernelPredictions predictions(device);
  benchmark::DoNotOptimize(predictions.of(table, 0));  // predicts all kernels
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (const orrery::graph::KernelId node : nodes)
      sum += predictions.of(table, node)->time.count();
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(nodes.size()));
}
BENCHMARK(BM_SeenBefore)->Arg(34)->Arg(4'096);

}  // namespace

BENCHMARK_MAIN();
