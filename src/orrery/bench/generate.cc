// SPDX-License-Identifier: Apache-2.0
#include "orrery/bench/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "orrery/bench/plan_text.h"
#include "orrery/core/check.h"

namespace orrery::bench {

extern const std::string_view kRuntimeText;  // apps/orrery_bench, in the order of kSources

namespace {

constexpr std::array<std::string_view, 17> kSources = {
    "energy.cc",   "energy.h",          "executor.cc",     "executor.h",     "fill.cc",
    "fill.h",      "generated_main.cc", "instructions.cc", "instructions.h", "memory.cc",
    "memory.h",    "program.cc",        "program.h",       "ran.cc",         "ran.h",
    "stand_in.cc", "stand_in.h"};
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
add_executable(benchmark energy.cc executor.cc fill.cc generated_main.cc instructions.cc memory.cc program.cc ran.cc
               stand_in.cc)
set_target_properties(benchmark PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
target_compile_definitions(benchmark PRIVATE BENCHMARK_FILE="${CMAKE_CURRENT_SOURCE_DIR}/benchmark.txt")
target_link_libraries(benchmark PRIVATE ${TORCH_LIBRARIES})
)";

std::string readme(const Plan& plan) {
  std::map<std::string_view, std::size_t> calls;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::call) ++calls[plan.operations[step.operation]];
  }
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
  return text;
}

}  // namespace

std::vector<GeneratedFile> generated_program(const Plan& plan) {
  std::vector<GeneratedFile> files = {{"CMakeLists.txt", std::string(kCmake)},
                                      {"README.md", readme(plan)},
                                      {"benchmark.txt", plan_text(plan)}};
  std::string_view rest = kRuntimeText;
  for (const std::string_view source : kSources) {
    ORRERY_CHECK(rest.starts_with(kHead));
    const std::size_t end = std::min(rest.find(kHead, 1), rest.size());
    files.push_back({std::string(source), std::string(rest.substr(0, end))});
    rest.remove_prefix(end);
  }
  ORRERY_CHECK(rest.empty());
  return files;
}

}  // namespace orrery::bench
