// SPDX-License-Identifier: Apache-2.0
//
// A benchmark by itself: plays benchmark.txt and says how long that takes. Part of programs that
// `orrery bench generate` writes.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "executor.h"
#include "program.h"

namespace orrery::replay {
namespace {

constexpr const char* kHelp =
    "Usage: benchmark [--iterations N] [--warm-up N] [--threads N] [--order] [FILE]\n"
    "Plays FILE (otherwise the benchmark.txt that it was built with) and prints how long it "
    "takes.\n"
    "  --order   prints the operators in their order instead\n";

struct Asked {
  PlayOptions play;
  std::string file = BENCHMARK_FILE;
  bool order = false;
};

bool read_arguments(int argc, char** argv, Asked& asked) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool takes_number = word == "--iterations" || word == "--warm-up" || word == "--threads";
    if (word == "--order") {
      asked.order = true;
    } else if (takes_number) {
      const int number = ++i < argc ? std::atoi(argv[i]) : 0;
      if (number < 1) return false;
      if (word == "--iterations") asked.play.iterations = static_cast<unsigned>(number);
      if (word == "--warm-up") asked.play.warm_up = static_cast<unsigned>(number);
      if (word == "--threads") asked.play.threads = number;
    } else if (word.starts_with("-")) {
      return false;
    } else {
      asked.file = word;
    }
  }
  return true;
}

std::string operator_of(const Program& program, const Step& step) {
  switch (step.kind) {
    case Step::Kind::call:
      return program.operations[step.operation];
    case Step::Kind::view:
      return "(view)";
    case Step::Kind::stand_in:
      return "(stand-in)";
    case Step::Kind::communicate:
      return "(" + std::string(program.exchanges[step.exchange].kind) + ")";
    case Step::Kind::wait:
      return "(wait)";
    case Step::Kind::absent:
      break;
  }
  return "(absent)";
}

std::int64_t median(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers.empty() ? 0 : numbers[(numbers.size() - 1) / 2];
}

struct Sum {
  std::uint64_t calls = 0;
  std::int64_t ns = 0;
};

void print(const Program& program, const Played& played) {
  const auto iterations = static_cast<double>(played.wall_ns.size());
  std::map<std::string, Sum> by_operator;
  std::uint64_t failed = 0;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    Sum& sum = by_operator[operator_of(program, program.steps[s])];
    ++sum.calls;
    failed += played.failures[s] != 0 ? 1 : 0;
    for (std::size_t i = 0; i < played.wall_ns.size(); ++i)
      sum.ns += played.length_ns[i * program.steps.size() + s];
  }
  std::vector<std::pair<std::string, Sum>> rows(by_operator.begin(), by_operator.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::printf("iteration  %.3f ms (median of %zu)\nCPU time   %.3f ms\n",
              static_cast<double>(median(played.wall_ns)) / 1e6, played.wall_ns.size(),
              static_cast<double>(median(played.cpu_ns)) / 1e6);
  std::printf("memory     %.1f MB at most\nfailed     %" PRIu64 " of %zu steps\n\n",
              static_cast<double>(played.peak_bytes) / 1e6, failed, program.steps.size());
  std::printf("%-48s %8s %12s\n", "operator", "calls", "ms in all");
  for (const auto& [name, sum] : rows)
    std::printf("%-48s %8" PRIu64 " %12.3f\n", name.c_str(), sum.calls,
                static_cast<double>(sum.ns) / iterations / 1e6);
}

int run(int argc, char** argv) {
  Asked asked;
  if (!read_arguments(argc, argv, asked)) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  std::ifstream file(asked.file, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "benchmark: %s cannot be read\n", asked.file.c_str());
    return 3;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Program program = read_program(text);
  if (asked.order) {
    for (const Step& step : program.steps) std::puts(operator_of(program, step).c_str());
    return 0;
  }
  print(program, play(program, asked.play));
  return 0;
}

}  // namespace
}  // namespace orrery::replay

int main(int argc, char** argv) {
  try {
    return orrery::replay::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark: %s\n", error.what());
    return 3;
  }
}
