// SPDX-License-Identifier: Apache-2.0
//
// A plan as a program of its own: sources, CMake, the plan as its data. Needs libtorch, and neither
// Python nor Orrery. Operators are looked up once, when it starts.
#pragma once

#include <string>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/programs/microbenchmark.h"

namespace orrery::bench {

struct GeneratedFile {
  std::string name;
  std::string text;
};

/// The same bytes for the same plan. Of the recording only operators, arguments, types and sizes
/// are in it: no names of ranges, files or people, and no values of tensors.
[[nodiscard]] std::vector<GeneratedFile> generated_program(const ReplayPlan& plan);
/// The same of benchmarks of single operators.
[[nodiscard]] std::vector<GeneratedFile> generated_microbenchmarks(
    const std::vector<Microbenchmark>& all);

}  // namespace orrery::bench
