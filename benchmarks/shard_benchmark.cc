// SPDX-License-Identifier: Apache-2.0
//
// Placing embedding tables, from the file to the placement: random tables as in the papers, whose
// rows and pooling span orders of magnitude; with tables that may be cut, complete tables, and a
// limit of tables per device.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "orrery/core/random.h"
#include "orrery/study/embeddings/shard_report.h"

namespace {

using namespace orrery;

/// A temporary file with `count` tables.
class Tables {
 public:
  explicit Tables(std::int64_t count)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("orrery_shard_benchmark_{}.csv", count)) {
    std::ofstream file(path_);
    file << "name,rows,features,pooling\n";
    std::uint64_t bits = mix_bits(1);
    const auto next = [&] { return uniform_double(bits = mix_bits(bits)); };
    for (std::int64_t i = 0; i < count; ++i) {
      const double rows = std::pow(10, 3 + 3 * next());
      const int features = 16 << static_cast<int>(4 * next());
      const double pooling = 1 + std::pow(10, 2 * next());
      file << fmt::format("t{},{:.0f},{},{:.0f}\n", i, rows, features, pooling);
    }
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() { std::filesystem::remove(path_); }

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void place(benchmark::State& state, bool whole, std::int64_t most_tables) {
  const Tables tables(state.range(0));
  study::ShardQuestion question;
  question.tables = tables.path();
  question.devices = state.range(1);
  question.whole = whole;
  question.most_tables = most_tables;
  double over = 0;
  for (auto _ : state) {
    const auto made = study::shard(question);
    if (!made) std::abort();
    over = made->cost.us() / made->bound_us - 1;
  }
  state.counters["over_bound_%"] = 100 * over;
}

void BM_CutWhereItHelps(benchmark::State& state) { place(state, false, 0); }
void BM_Whole(benchmark::State& state) { place(state, true, 0); }
/// The smallest possible limit of tables per device.
void BM_FewToADevice(benchmark::State& state) {
  place(state, true, (state.range(0) + state.range(1) - 1) / state.range(1));
}

BENCHMARK(BM_CutWhereItHelps)->Args({26, 8})->Args({100, 16})->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Whole)->Args({26, 8})->Args({100, 16})->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FewToADevice)->Args({100, 16})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
