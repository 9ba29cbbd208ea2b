// SPDX-License-Identifier: Apache-2.0
//
// What was measured as text, for processes that measure for another one.
#pragma once

#include <string>
#include <string_view>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// A line for each column of the outcome: its name, its numbers. Then a line for each reason.
[[nodiscard]] std::string outcome_text(const ReplayOutcome& outcome);

/// Everything is there, and fits the plan. Errc: input_corrupt.
[[nodiscard]] Result<ReplayOutcome> read_outcome(std::string_view text, const ReplayPlan& plan);

}  // namespace orrery::bench
