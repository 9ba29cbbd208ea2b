// SPDX-License-Identifier: Apache-2.0
//
// A program with its calls, loops and branches written out: one list of operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// An operation as it runs. Inputs are indices of earlier steps.
struct Step {
  const Instruction* operation = nullptr;
  const Computation* computation = nullptr;  ///< the one that contains it
  std::vector<std::uint32_t> inputs;
  bool blocks = false;  ///< the operations after it in the file wait for it
};

/// What a device runs, in the order of the file. The program must outlive it.
struct FlatProgram {
  std::vector<Step> steps;
  std::vector<std::uint32_t> outputs;  ///< steps whose values the program returns
};

/// Writes a program out. Loops run as often as the file states or their condition shows (a counter
/// compared with a constant), otherwise once (finding default_assumed). Of branches, that with most
/// operations runs (finding default_assumed). Errc: limit_exceeded, input_cycle (computations that
/// call themselves), input_corrupt. O(steps).
[[nodiscard]] Result<FlatProgram> flatten(const Program& program, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::hlo
