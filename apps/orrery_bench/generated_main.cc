// SPDX-License-Identifier: Apache-2.0
//
// A single benchmark: runs benchmark.txt and prints its time. Part of the programs that `orrery
// bench generate` writes.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "addons/bench/plan/program.h"
#include "command_line.h"
#include "executor.h"

namespace orrery::bench {
namespace {

constexpr const char* kHelp =
    "Usage: benchmark [--iterations N] [--warm-up N] [--threads N] [--order] [FILE]\n"
    "Plays FILE (otherwise the benchmark.txt that it was built with) and prints how long it "
    "takes.\n"
    "  --order   plays it once and prints the operators as they are called instead\n";

struct Sum {
  std::uint64_t calls = 0;
  std::int64_t ns = 0;
};

void print(const Program& program, const ReplayOutcome& outcome) {
  const auto iterations = static_cast<double>(outcome.wall_ns.size());
  std::map<std::string, Sum> by_operator;
  std::uint64_t failed = 0;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    Sum& sum = by_operator[program.name(program.steps[s])];
    ++sum.calls;
    failed += outcome.failures[s] != 0 ? 1 : 0;
    for (std::size_t i = 0; i < outcome.wall_ns.size(); ++i)
      sum.ns += outcome.length_ns[i * program.steps.size() + s];
  }
  std::vector<std::pair<std::string, Sum>> rows(by_operator.begin(), by_operator.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::printf("iteration  %.3f ms (median of %zu)\nCPU time   %.3f ms\n",
              static_cast<double>(quantile(outcome.wall_ns, 0.5)) / 1e6, outcome.wall_ns.size(),
              static_cast<double>(quantile(outcome.cpu_ns, 0.5)) / 1e6);
  std::printf("memory     %.1f MB at most\nfailed     %" PRIu64 " of %zu steps\n\n",
              static_cast<double>(outcome.peak_bytes) / 1e6, failed, program.steps.size());
  std::printf("%-48s %8s %12s\n", "operator", "calls", "ms in all");
  for (const auto& [name, sum] : rows)
    std::printf("%-48s %8" PRIu64 " %12.3f\n", name.c_str(), sum.calls,
                static_cast<double>(sum.ns) / iterations / 1e6);
}

/// Runs the program once and prints the called operators.
void print_order(const Program& program, ReplayOptions options) {
  std::vector<std::string> called;
  options.warm_up = 1;
  options.iterations = 0;
  options.called = &called;
  (void)replay(program, options);
  for (const std::string& name : called) std::puts(name.c_str());
}

int run(int argc, char** argv) {
  CommandLine line;
  if (!read_command_line(argc, argv, {}, line)) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  const std::string text = read_file(line.file.empty() ? BENCHMARK_FILE : line.file);
  const Program program = read_program(text);
  if (line.order) {
    print_order(program, line.options);
  } else {
    print(program, replay(program, line.options));
  }
  return 0;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    return orrery::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark: %s\n", error.what());
    return 3;
  }
}
