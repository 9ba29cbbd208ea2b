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

/// apps/orrery_bench, then what it shares with the planner, in the order of kSources.
extern const std::string_view kRuntimeText;

namespace {

constexpr std::array<std::string_view, 31> kSources = {
    "clock.h",         "command_line.cc",     "command_line.h",
    "communicator.cc", "communicator.h",      "device.cc",
    "device.h",        "energy.cc",           "energy.h",
    "executor.cc",     "executor.h",          "fill.cc",
    "fill.h",          "generated_main.cc",   "instructions.cc",
    "instructions.h",  "memory.cc",           "memory.h",
    "micro_main.cc",   "operator_counter.cc", "operator_counter.h",
    "stand_in.cc",     "stand_in.h",          "stream_order.cc",
    "stream_order.h",  "replay_outcome.h",    "program.cc",
    "program.h",       "program_format.h",    "tensor.cc",
    "tensor.h"};
constexpr std::string_view kMain = "generated_main.cc", kMicrobenchmarkMain = "micro_main.cc";
constexpr std::string_view kHead = "// SPDX-License-Identifier: Apache-2.0\n";

constexpr std::string_view kCmake = R"(# SPDX-License-Identifier: Apache-2.0
# cmake -B build && cmake --build build && build/benchmark
# For libtorch in another folder than Debian's: cmake -B build -DCMAKE_PREFIX_PATH=/path/to/libtorch
cmake_minimum_required(VERSION 3.22)
project(benchmark LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(Torch REQUIRED)
add_executable(benchmark command_line.cc communicator.cc device.cc energy.cc executor.cc fill.cc instructions.cc memory.cc
               operator_counter.cc program.cc stand_in.cc stream_order.cc tensor.cc)
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
      "# A benchmark\n"
      "\n"
      "One iteration of a recorded job, {} operators in {} steps, replayed with PyTorch's C++ "
      "library. Values are generated; sizes, types and order are those of the recording.\n"
      "\n"
      "```sh\n"
      "cmake -B build && cmake --build build\n"
      "build/benchmark\n"
      "```\n"
      "\n"
      "`benchmark.txt` contains the steps as readable text, one per line: first the memory that "
      "exists before the iteration, then calls with their arguments and results. `build/benchmark "
      "--order` prints their operators, `--help` lists all options.\n"
      "\n"
      "| operator | calls |\n"
      "|---|---:|\n",
      plan.sources.size(), plan.steps.size());
  for (const auto& [name, count] : calls) text += fmt::format("| `{}` | {} |\n", name, count);
  if (!plan.exchanges.empty())
    text += fmt::format(
        "\n"
        "Communications with other ranks ({} of them) are delays, sequential within their "
        "groups.\n",
        plan.exchanges.size());
  return text;
}

std::string micro_readme(const std::vector<Microbenchmark>& all) {
  std::string text = fmt::format(
      "# Benchmarks of single operators\n"
      "\n"
      "The {} distinct operators of a recorded job, by name, sizes and types, each timed "
      "separately with PyTorch's C++ library. Values are generated.\n"
      "\n"
      "```sh\n"
      "cmake -B build && cmake --build build\n"
      "build/benchmark --csv times.csv\n"
      "```\n"
      "\n"
      "`weight` is the number of calls in the job. The sum of weights times medians approximates "
      "the total time, but each operator finds its inputs in the cache here. `benchmark.txt` "
      "contains the operators as readable text. `build/benchmark --help` lists all options.\n"
      "\n"
      "| operator | inputs | weight |\n"
      "|---|---|---:|\n",
      all.size());
  for (const Microbenchmark& micro : all)
    text += fmt::format("| `{}` | {} | {} |\n", printable(micro.name), micro.tensors, micro.weight);
  return text;
}

/// A source whose includes are in its folder.
std::string flattened(std::string_view source) {
  std::string text(source);
  constexpr std::string_view kInclude = "#include \"", kElsewhere = "addons/";
  for (std::size_t at = 0; (at = text.find(kInclude, at)) != std::string::npos;) {
    at += kInclude.size();
    if (text.compare(at, kElsewhere.size(), kElsewhere) == 0)
      text.erase(at, text.rfind('/', text.find('\n', at)) + 1 - at);
  }
  return text;
}

/// The files of a program with this main file.
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
    if (!other) files.push_back({std::string(source), flattened(rest.substr(0, end))});
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
