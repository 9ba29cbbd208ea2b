// SPDX-License-Identifier: Apache-2.0
//
// A single plan: whether it is valid and fits into device memory, and its step time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/core/error.h"
#include "orrery/core/memory_need.h"
#include "orrery/core/quantity.h"
#include "orrery/explore/points/step_parts.h"
#include "orrery/platform/platform.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

/// A plan that fits, or the reason why none does.
struct FittedPlan {
  std::optional<workload::Program> program;
  /// Peak with the most recomputation tried; 0: no kind is valid.
  MemoryNeed need{};
  workload::Spec spec;            ///< specification of `need`
  std::string rule;               ///< violated rule
  MemoryFit fit = MemoryFit::no;  ///< whether `need` fits, with its uncertainty
};

/// Assembles a plan with the first kind of recomputation that fits into the usable memory of the
/// device.
[[nodiscard]] FittedPlan fit_plan(workload::Spec spec,
                                  const std::vector<workload::RecomputeKind>& recompute,
                                  const platform::Device& device);

/// The violated rule of an error: "heads-by-tp" if its hint is "rule heads-by-tp: …"; else its
/// message.
[[nodiscard]] std::string rule_of(const Error& error);

struct SimulatedPlan {
  Time end{};
  PartTimes parts{};                                 ///< mean over ranks
  std::optional<analysis::StepInterval> interval{};  ///< of `end`
  std::string no_interval_reason{};                  ///< why there is none
};
/// Simulates a plan. Errc: those of simulations; stall.
[[nodiscard]] Result<SimulatedPlan> simulate_plan(
    const workload::Program& program, const std::shared_ptr<const study::Cluster>& cluster);

}  // namespace orrery::explore
