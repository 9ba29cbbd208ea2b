// SPDX-License-Identifier: Apache-2.0
//
// The cost of variability at other numbers of ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "orrery/study/variability/step_variability.h"
#include "orrery/study/variability/variability_teams.h"

namespace orrery::study {

[[nodiscard]] inline double seconds_of(Time time) {
  return static_cast<double>(time.count()) * 1e-12;
}
[[nodiscard]] inline Time time_of_seconds(double seconds) {
  return Time(std::llround(seconds * 1e12));
}

/// Quantiles of at least one step time, with numpy's method "lower". O(steps log steps).
[[nodiscard]] StepSpread spread_of(std::vector<Time> steps);

/// Inputs of add_scaling().
struct ScalingInputs {
  const Teams& teams;
  bool is_job = false;  ///< the number of replicas is known
  double seconds = 0;   ///< mean compute time of a rank in a step
  std::uint32_t threads = 1;
  std::uint64_t seed = 1;
};
/// Fills VariabilityAnswer::scale: changes the number of replicas, with the same step time without
/// variability. With several stages it samples 256 steps per scale, else it uses the closed form.
/// Does nothing for traces with stages, whose number of replicas is unknown.
void add_scaling(const ScalingInputs& question, VariabilityAnswer& made);

}  // namespace orrery::study
