// SPDX-License-Identifier: Apache-2.0
//
// Measures the overhead of a replayed step compared with the same PyTorch call: tiny operators,
// replayed and called from C++. `ninja orrery_bench_overhead`; docs/bench.md contains its output.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "addons/bench/plan/program.h"
#include "clock.h"
#include "executor.h"

namespace orrery::bench {
namespace {

constexpr int kCalls = 20'000;
constexpr unsigned kRounds = 21;

std::int64_t cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

double median_each(std::vector<std::int64_t> rounds) {
  std::sort(rounds.begin(), rounds.end());
  return static_cast<double>(rounds[rounds.size() / 2]) / kCalls;
}

/// The time per step of a replay of z = x + y.
double replayed() {
  std::string text = "orrery benchmark 1\nslots " + std::to_string(kCalls + 2) +
                     "\nstorage 0 4 float uniform 0 1\nstorage 1 4 float uniform 0 1\n"
                     "external %0 0 float [1] [1] 0\nexternal %1 1 float [1] [1] 0\n"
                     "operation 0 aten::add.Tensor\n";
  for (int i = 0; i < kCalls; ++i) {
    const std::string slot = "%" + std::to_string(i + 2);
    text += "call 0 (%0, %1, 1) -> 0 " + slot + " float [1] [1] ; last " + slot + "\n";
  }
  ReplayOptions options;
  options.iterations = kRounds;
  const Program program = read_program(text);
  return median_each(replay(program, options).cpu_ns);
}

double called() {
  const at::NoGradGuard no_gradients;
  const at::Tensor x = at::rand({1}), y = at::rand({1});
  std::vector<std::int64_t> rounds;
  for (unsigned round = 0; round < kRounds; ++round) {
    const std::int64_t begin = cpu_ns();
    for (int i = 0; i < kCalls; ++i) const at::Tensor z = at::add(x, y, 1);
    rounds.push_back(cpu_ns() - begin);
  }
  return median_each(std::move(rounds));
}

}  // namespace
}  // namespace orrery::bench

int main() {
  const double one = orrery::bench::replayed(), other = orrery::bench::called();
  std::printf("played %.0f ns, called %.0f ns: %.0f ns more for each step\n", one, other,
              one - other);
  return 0;
}
