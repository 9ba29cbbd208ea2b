// SPDX-License-Identifier: Apache-2.0
//
// Writing a timeline: slices (items) and bytes per second, for ranks that share one timeline and
// for ranks with separate timelines. Of four spans, one is a collective and two are the ends of a
// message; all have the attributes of simulated spans.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string_view>

#include "orrery/report/perfetto/perfetto.h"
#include "orrery/result/small_run_testing.h"

namespace {

using namespace orrery;

constexpr std::uint32_t kSlices = 4'000'000;

void write_timeline(benchmark::State& state, bool distinct, bool chrome) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t layers = kSlices / 4 / ranks;
  const result::Run run = result::testing::sample_run(ranks, layers, distinct);
  const std::int64_t slices = std::int64_t{ranks} * layers * 4;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    const report::ByteSink sink = [&](std::string_view piece) {
      bytes += piece.size();
      return true;
    };
    const bool whole =
        chrome ? report::write_chrome(run, {}, sink) : report::write_perfetto(run, {}, sink);
    if (!whole) state.SkipWithError("the timeline was not written");
  }
  state.SetItemsProcessed(slices * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["bytes_per_slice"] = static_cast<double>(bytes) / static_cast<double>(slices);
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}

void perfetto_shared(benchmark::State& state) { write_timeline(state, false, false); }
void perfetto_distinct(benchmark::State& state) { write_timeline(state, true, false); }
void chrome_shared(benchmark::State& state) { write_timeline(state, false, true); }

void estimate(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const result::Run run = result::testing::sample_run(ranks, kSlices / 4 / ranks, true);
  for (auto _ : state) benchmark::DoNotOptimize(report::estimate_perfetto_bytes(run, {}));
}

BENCHMARK(perfetto_shared)->Arg(16)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(perfetto_distinct)->Arg(16)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(chrome_shared)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(estimate)->Arg(16)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
