// SPDX-License-Identifier: Apache-2.0
//
// What is known of a pass before its ops are: the job's settings, and the place of the pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::generative {

/// The settings of a job as words ("recompute.kind=full", "parallel.tp>1") and numbers. Words hold
/// no sizes: formulas do.
struct JobSettings {
  std::vector<std::string> words;         ///< ascending
  std::map<std::string, double> numbers;  ///< by path: "parallel.tp"
};
[[nodiscard]] Result<JobSettings> settings_of(const workload::Program& program);

/// Words for one recipe of a role: the kind of pass, whether it is the first or the last of its
/// kind, and what its chunk holds.
[[nodiscard]] std::vector<std::string> pass_words(const workload::Program& program,
                                                  std::uint32_t role, std::uint32_t recipe);

/// The chunk that a recipe belongs to; 0 for a recipe without tasks.
[[nodiscard]] std::uint32_t chunk_of(const workload::Role& role, std::uint32_t recipe);

/// Whether passes of the job can be learned. Errc: input_unsupported, with the reason.
[[nodiscard]] Result<void> check_learnable(const workload::Program& program);

}  // namespace orrery::generative
