// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/programs/generated_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "addons/bench/plan/replay_plan_text.h"
#include "orrery/core/check.h"
#include "orrery/core/text/text.h"

namespace orrery::bench {

extern const std::string_view kRuntimeText;  // apps/orrery_bench, in the order of kSources

namespace {

constexpr std::array<std::string_view, 27> kSources = {
    "clock.h",        "command_line.cc", "command_line.h", "communicator.cc",   "communicator.h",
    "device.cc",      "device.h",        "energy.cc",      "energy.h",          "executor.cc",
    "executor.h",     "fill.cc",         "fill.h",         "generated_main.cc", "instructions.cc",
    "instructions.h", "memory.cc",       "memory.h",       "micro_main.cc",     "program.cc",
    "program.h",      "ran.cc",          "ran.h",          "stand_in.cc",       "stand_in.h",
    "streams.cc",     "streams.h"};
constexpr std::string_view kMain = "generated_main.cc", kMicrobenchmarkMain = "micro_main.cc";
constexpr std::string_view kHead = "// SPDX-License-Identifier: Apache-2.0\n";

constexpr std::string_view kCmake = R"(# SPDX-License-Identifier: Apache-2.0
# cmake -B build && cmake --build build && build/benchmark
# libtorch elsewhere than where Debian has it: cmake -B build -DCMAKE_PREFIX_PATH=/path/to/libtorch
cmake_minimum_required(VERSION 3.22)
project(benchmark LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(Torch REQUIRED)
add_executable(benchmark command_line.cc communicator.cc device.cc energy.cc executor.cc fill.cc instructions.cc memory.cc
               program.cc ran.cc stand_in.cc streams.cc)
set_target_properties(benchmark PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
target_compile_definitions(benchmark PRIVATE BENCHMARK_FILE="${CMAKE_CURRENT_SOURCE_DIR}/benchmark.txt")
target_link_libraries(benchmark PRIVATE ${TORCH_LIBRARIES})
)";

std::string readme(const ReplayPlan& plan) {
  std::map<std::string_view, std::size_t> calls;
  for (const ReplayStep& step : plan.steps) {
    if (step.kind == ReplayStep::Kind::call && plan.named) ++calls[plan.operations[step.operation]];
  }
  if (!plan.named)
    for (const PlanSource& source : plan.sources) ++calls[source.name];
  std::string text = fmt::format(
      "# A benchmark\n\nOne iteration of a recorded job, {} operators in {} steps, replayed with "
      "PyTorch's C++ library. Values are made up; sizes, types and order are those of the "
      "recording.\n\n```sh\ncmake -B build && cmake --build build\nbuild/benchmark\n```\n\n"
      "`benchmark.txt` holds the steps, a line each, for people as well: what it begins with is "
      "memory that exists before, then come calls with their arguments and results. "
      "`build/benchmark --order` prints their operators, `--help` what else there is.\n\n"
      "| operator | calls |\n|---|---:|\n",
      plan.sources.size(), plan.steps.size());
  for (const auto& [name, count] : calls) text += fmt::format("| `{}` | {} |\n", name, count);
  if (!plan.exchanges.empty())
    text += fmt::format(
        "\nCommunications with other ranks ({} of them) are delays, within their groups one after "
        "another.\n",
        plan.exchanges.size());
  return text;
}

std::string micro_readme(const std::vector<Microbenchmark>& all) {
  std::string text = fmt::format(
      "# Benchmarks of single operators\n\nThe {} different operators of a recorded job, by name, "
      "sizes and types, each timed by itself with PyTorch's C++ library. Values are made "
      "up.\n\n```sh\ncmake -B build && cmake --build build\nbuild/benchmark --csv "
      "times.csv\n```\n\n`weight` says how often an operator is in the job; weights times medians "
      "are about what all take together, though each finds its inputs in the cache here. "
      "`benchmark.txt` holds them one after another, for people as well. `build/benchmark --help` "
      "says what else there is.\n\n| operator | takes | weight |\n|---|---|---:|\n",
      all.size());
  for (const Microbenchmark& micro : all)
    text += fmt::format("| `{}` | {} | {} |\n", printable(micro.name), micro.tensors, micro.weight);
  return text;
}

/// A program with that one of the main files.
std::vector<GeneratedFile> program_of(std::string_view main, std::string readme, std::string data) {
  std::vector<GeneratedFile> files = {
      {"CMakeLists.txt", fmt::format("{}target_sources(benchmark PRIVATE {})\n", kCmake, main)},
      {"README.md", std::move(readme)},
      {"benchmark.txt", std::move(data)}};
  std::string_view rest = kRuntimeText;
  for (const std::string_view source : kSources) {
    ORRERY_CHECK(rest.starts_with(kHead));
    const std::size_t end = std::min(rest.find(kHead, 1), rest.size());
    const bool other = source != main && (source == kMain || source == kMicrobenchmarkMain);
    if (!other) files.push_back({std::string(source), std::string(rest.substr(0, end))});
    rest.remove_prefix(end);
  }
  ORRERY_CHECK(rest.empty());
  return files;
}

}  // namespace

std::vector<GeneratedFile> generated_program(const ReplayPlan& plan) {
  return program_of(kMain, readme(plan), plan_text(plan, /*group_names=*/false));
}

std::vector<GeneratedFile> generated_microbenchmarks(const std::vector<Microbenchmark>& all) {
  return program_of(kMicrobenchmarkMain, micro_readme(all), microbenchmark_text(all));
}

}  // namespace orrery::bench
