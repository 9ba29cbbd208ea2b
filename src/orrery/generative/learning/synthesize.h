// SPDX-License-Identifier: Apache-2.0
//
// Synthesizes the program of a job from learned traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/generative/learning/learned_traces.h"
#include "orrery/workload/program/program.h"

namespace orrery::generative {

struct SynthesisOptions {
  std::uint64_t seed = 1;
  /// Of the sampling: below 1, frequent ops are more frequent than in the corpus.
  double temperature = 0.3;
  std::uint32_t attempts = 6;  ///< per stage
};

/// Errors relative to the closed forms of `orrery job count` for the same settings.
struct CountErrors {
  double nodes = 0;
  double flops = 0;
  double bytes = 0;    ///< of device memory
  double traffic = 0;  ///< the largest of all axes and types of communication
  [[nodiscard]] double largest() const;
};

struct Synthesized {
  workload::Program program;  ///< its names point into the LearnedTraces
  std::uint32_t stages = 0;
  std::uint32_t first_try = 0;       ///< stages whose first sample passed the checks
  bool messages_agree = true;        ///< neighboring stages send and receive the same bytes
  CountErrors first_errors;          ///< the largest of any stage's first sample
  CountErrors errors;                ///< of the program
  std::vector<std::string> outside;  ///< settings beyond those of the corpus: "parallel.tp = 16
                                     ///< (learned: 1 to 8)"
};

/// Samples the passes of `job`; only its settings, schedule and weights are used, not its ops. A
/// mask excludes ops without legal numbers, collectives on axes of one rank, and messages beyond
/// the first or last stage. Samples of a stage that differ by more than 10 % from the closed forms
/// are drawn again. Equal inputs give equal programs. Errc: input_unsupported for settings that no
/// job of the corpus has ("model.mlp=gelu"), input_mismatch if no attempt passes the checks.
[[nodiscard]] Result<Synthesized> synthesize(const LearnedTraces& learned,
                                             const workload::Program& job,
                                             const SynthesisOptions& options);

}  // namespace orrery::generative
