// SPDX-License-Identifier: Apache-2.0
//
// Outcomes as text, for processes that measure on behalf of another one.
#pragma once

#include <string>
#include <string_view>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// One line per column of the outcome: its name and its numbers. Then one line per reason.
[[nodiscard]] std::string outcome_text(const ReplayOutcome& outcome);

/// Reads an outcome and checks that it is complete and fits the plan. Errc: input_corrupt.
[[nodiscard]] Result<ReplayOutcome> read_outcome(std::string_view text, const ReplayPlan& plan);

}  // namespace orrery::bench
