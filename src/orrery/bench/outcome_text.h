// SPDX-License-Identifier: Apache-2.0
//
// What was measured as text, for processes that measure for another one.
#pragma once

#include <string>
#include <string_view>

#include "orrery/bench/plan.h"
#include "orrery/bench/report.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// A line for each column of the outcome: its name, its numbers. Then a line for each reason.
[[nodiscard]] std::string outcome_text(const Outcome& outcome);

/// Everything is there, and fits the plan. Errc: input_corrupt.
[[nodiscard]] Result<Outcome> read_outcome(std::string_view text, const Plan& plan);

}  // namespace orrery::bench
