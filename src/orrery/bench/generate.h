// SPDX-License-Identifier: Apache-2.0
//
// A plan as a program of its own: sources, CMake, the plan as its data. Needs libtorch, and neither
// Python nor Orrery. Operators are looked up once, when it starts.
#pragma once

#include <string>
#include <vector>

#include "orrery/bench/micro.h"
#include "orrery/bench/plan.h"

namespace orrery::bench {

struct GeneratedFile {
  std::string name;
  std::string text;
};

/// The same bytes for the same plan. Of the recording only operators, arguments, types and sizes
/// are in it: no names of ranges, files or people, and no values of tensors.
[[nodiscard]] std::vector<GeneratedFile> generated_program(const Plan& plan);
/// The same of benchmarks of single operators.
[[nodiscard]] std::vector<GeneratedFile> generated_micro(const std::vector<Micro>& all);

}  // namespace orrery::bench
