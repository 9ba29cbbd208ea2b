// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// The text of a plan (format: program_format.h). With `group_names` false, process groups have no
/// names.
[[nodiscard]] std::string plan_text(const ReplayPlan& plan, bool group_names = true);

}  // namespace orrery::bench
