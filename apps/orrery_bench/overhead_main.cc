// SPDX-License-Identifier: Apache-2.0
//
// What playing a step costs beyond what PyTorch takes for the same call: tiny operators, played and
// called from C++. `ninja orrery_bench_overhead`; docs/bench.md has what it printed.
#include <ATen/ATen.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "executor.h"
#include "program.h"

namespace orrery::replay {
namespace {

constexpr int kCalls = 20'000;
constexpr unsigned kRounds = 21;

std::int64_t cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double median_each(std::vector<std::int64_t> rounds) {
  std::sort(rounds.begin(), rounds.end());
  return static_cast<double>(rounds[rounds.size() / 2]) / kCalls;
}

/// z = x + y, each as long as it takes until the next.
double played() {
  std::string text = "orrery benchmark 1\nslots " + std::to_string(kCalls + 2) +
                     "\nstorage 0 4 float uniform 0 1\nstorage 1 4 float uniform 0 1\n"
                     "external %0 0 float [1] [1] 0\nexternal %1 1 float [1] [1] 0\n"
                     "operation 0 aten::add.Tensor\n";
  for (int i = 0; i < kCalls; ++i) {
    const std::string slot = "%" + std::to_string(i + 2);
    text += "call 0 (%0, %1, 1) -> 0 " + slot + " float [1] [1] ; last " + slot + "\n";
  }
  PlayOptions options;
  options.iterations = kRounds;
  const Program program = read_program(text);
  return median_each(play(program, options).cpu_ns);
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
}  // namespace orrery::replay

int main() {
  const double one = orrery::replay::played(), other = orrery::replay::called();
  std::printf("played %.0f ns, called %.0f ns: %.0f ns more for each step\n", one, other,
              one - other);
  return 0;
}
