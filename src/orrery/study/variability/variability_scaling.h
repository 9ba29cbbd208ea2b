// SPDX-License-Identifier: Apache-2.0
//
// What variability costs with more ranks or fewer.
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

/// Of at least one step; the q-th of n as numpy's "lower" has it. O(steps log steps).
[[nodiscard]] StepSpread spread_of(std::vector<Time> steps);

/// What of a question it takes.
struct ScalingInputs {
  const Teams& teams;
  bool is_job = false;  ///< replicas are known
  double seconds = 0;   ///< what a rank computes in a step, in the mean
  std::uint32_t threads = 1;
  std::uint64_t seed = 1;
};
/// Fills VariabilityAnswer::scale: replicas are added and taken away, and the step without
/// variability stays. With several stages 256 draws for each scale, else in closed form. Nothing of
/// traces with stages, whose replicas nobody knows.
void add_scaling(const ScalingInputs& question, VariabilityAnswer& made);

}  // namespace orrery::study
