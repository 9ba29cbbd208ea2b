// SPDX-License-Identifier: Apache-2.0
//
// Run files of a million spans: time to write and to read, bytes per span. With spans that repeat
// layer by layer, which a file stores once, and with spans of which no two are equal.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "orrery/result/run_file.h"
#include "orrery/result/small_run_testing.h"

namespace {

namespace fs = std::filesystem;
using namespace orrery;
using namespace orrery::result;

constexpr std::uint32_t kRanks = 16;
constexpr std::uint32_t kLayers = 15'625;  // of four spans each

/// 16 different ranks.
Run make_run(bool repeats) {
  Run run = result::testing::sample_run(kRanks, kLayers);
  std::int64_t number = 0;
  for (Timeline& line : run.timelines) {
    for (Span& span : line.spans) {
      if (!repeats) span.bytes += Bytes(++number * 64);
    }
  }
  return run;
}

const Run& big_run(bool repeats) {
  static const Run equal = make_run(true), different = make_run(false);
  return repeats ? equal : different;
}

std::int64_t spans_of(const Run& run) {
  std::int64_t count = 0;
  for (const Timeline& line : run.timelines) count += static_cast<std::int64_t>(line.spans.size());
  return count;
}

std::string scratch() {
  return (fs::temp_directory_path() / "orrery_run_file_benchmark.orrery").string();
}

void write_spans(benchmark::State& state, bool repeats) {
  const Run& run = big_run(repeats);
  const std::string path = scratch();
  for (auto _ : state) {
    if (!write_run(run, path, true)) state.SkipWithError("cannot write the run file");
  }
  const std::int64_t spans = spans_of(run);
  state.counters["spans/s"] = benchmark::Counter(static_cast<double>(spans * state.iterations()),
                                                 benchmark::Counter::kIsRate);
  state.counters["bytes/span"] =
      static_cast<double>(fs::file_size(path)) / static_cast<double>(spans);
  fs::remove(path);
}
BENCHMARK_CAPTURE(write_spans, repeating, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write_spans, different, false)->Unit(benchmark::kMillisecond);

void read_spans(benchmark::State& state, bool repeats) {
  const Run& run = big_run(repeats);
  const std::string path = scratch();
  if (!write_run(run, path, true)) state.SkipWithError("cannot write the run file");
  for (auto _ : state) {
    const Result<Run> again = read_run(path);
    if (!again) state.SkipWithError("cannot read the run file");
    benchmark::DoNotOptimize(again);
  }
  state.counters["spans/s"] = benchmark::Counter(
      static_cast<double>(spans_of(run) * state.iterations()), benchmark::Counter::kIsRate);
  fs::remove(path);
}
BENCHMARK_CAPTURE(read_spans, repeating, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_spans, different, false)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
