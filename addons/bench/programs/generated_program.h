// SPDX-License-Identifier: Apache-2.0
//
// Converts a plan to a separate program: sources, CMake files, and the plan as data. It needs
// libtorch, but neither Python nor Orrery. It looks up operators once at its start.
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

/// The files of the program. Deterministic. They contain only operators, arguments, types and sizes
/// of the recording: no names of ranges, files or people, and no values of tensors.
[[nodiscard]] std::vector<GeneratedFile> generated_program(const ReplayPlan& plan);
/// The same for benchmarks of single operators.
[[nodiscard]] std::vector<GeneratedFile> generated_microbenchmarks(
    const std::vector<Microbenchmark>& all);

}  // namespace orrery::bench
