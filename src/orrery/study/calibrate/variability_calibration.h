// SPDX-License-Identifier: Apache-2.0
//
// Measures the variability of ranks and steps in recordings.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/catalog/variability.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {

/// The measured variability, and the number of samples.
struct MeasuredVariability {
  platform::Variability variability;  ///< without names
  std::uint32_t ranks = 0;
  std::int64_t steps = 1;
  std::uint64_t stalled = 0;  ///< rank-steps classified as stalls, excluded from all else
  /// Speed needs two ranks with equivalent work; jitter also needs two steps. With one step, all
  /// differences between ranks count as speed. Network needs two steps.
  bool speed_known = false, jitter_known = false, network_known = false;
};

/// For ranks with equivalent work (graph::PeerLevels), the logarithm of the compute time of a rank
/// in a step is modeled as mean + effect of the rank + effect of the step + residual. The spread
/// of rank effects is `speed`, the spread of residuals is `jitter` (two-factor analysis of variance
/// without repetition). A residual above 8 robust standard deviations (and above 10 %) is a stall.
/// `network` is the spread over steps of the total communication time. `steps`: number of steps in
/// the workload. O(nodes log nodes).
[[nodiscard]] MeasuredVariability measure_variability(const graph::Workload& workload,
                                                      std::int64_t steps);

struct VariabilityCalibration {
  MeasuredVariability measured;
  std::string file;  ///< YAML for --variability
  Findings findings;
};

/// Measures the variability in recorded traces. `steps`: number of steps in them; 0: detected.
/// Errc: those of reading; input_unsupported if no two ranks have equivalent work; usage for an
/// invalid `steps`.
[[nodiscard]] Result<VariabilityCalibration> calibrate_variability(const RecordedTraces& recorded,
                                                                   std::int64_t steps,
                                                                   Watch& watch);

}  // namespace orrery::study
