// SPDX-License-Identifier: Apache-2.0
//
// How far ranks and steps are apart, from recordings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/catalogue/variability.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {

/// What was measured, and from how much.
struct MeasuredVariability {
  platform::Variability variability;  ///< without names
  std::uint32_t ranks = 0;
  std::int64_t steps = 1;
  std::uint64_t stalled = 0;  ///< rank-steps taken for stalls; not part of the rest
  /// Between speed and jitter nobody can tell: one step, or one rank.
  bool speed_known = false, jitter_known = false, network_known = false;
};

/// Of ranks that do the same (graph::PeerLevels), the logarithms of what each of them computes in
/// each step are a mean, a part of the rank's, a part of the step's and the rest: speed is the
/// spread of the second, jitter of the last (analysis of variance with two factors, without
/// repetition). A rest of more than 8 robust standard deviations (and 10 %) is a stall. The
/// network's spread is that of steps in what communications take. `steps`: how many the workload
/// holds. O(nodes log nodes)
[[nodiscard]] MeasuredVariability measure_variability(const graph::Workload& workload,
                                                      std::int64_t steps);

struct VariabilityCalibration {
  MeasuredVariability measured;
  std::string file;  ///< YAML, as --variability takes it
  Findings findings;
};

/// From recorded traces. Errc: those of reading, input_unsupported where there are neither several
/// ranks nor several steps, usage for numbers that cannot be.
[[nodiscard]] Result<VariabilityCalibration> calibrate_variability(const RecordedTraces& recorded,
                                                                   std::int64_t steps,
                                                                   Watch& watch);

}  // namespace orrery::study
