// SPDX-License-Identifier: Apache-2.0
//
// A plan by itself: whether it is legal and fits into a device's memory, and what it takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/explore/points/step_parts.h"
#include "orrery/platform/platform.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

/// A plan that fits, or why there is none.
struct FittedPlan {
  std::optional<workload::Program> program;
  std::int64_t memory = 0;  ///< with the most recomputation that was tried; 0: nothing was legal
  workload::Spec spec;      ///< of that
  std::string rule;         ///< that it breaks
};

/// With the first kind of recomputation that fits into what the device's memory has for use.
[[nodiscard]] FittedPlan fit_plan(workload::Spec spec,
                                  const std::vector<workload::RecomputeKind>& recompute,
                                  const platform::Device& device);

/// "heads-by-tp" of an error whose hint is "rule heads-by-tp: …"; of all others what is wrong.
[[nodiscard]] std::string rule_of(const Error& error);

struct SimulatedPlan {
  Time end{};
  PartTimes parts{};  ///< of all ranks together, on average
};
/// Errc: those of simulations; stall.
[[nodiscard]] Result<SimulatedPlan> simulate_plan(
    const workload::Program& program, const std::shared_ptr<const study::Cluster>& cluster);

}  // namespace orrery::explore
