// SPDX-License-Identifier: Apache-2.0
//
// Summary of a run that was read from a file.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// Workload and cluster: "llama on two-nodes"; "run" when neither is recorded.
[[nodiscard]] std::string title_of(const result::Run& run);

/// `all`: every kind of communication.
void state_summary(report::Answer& answer, const result::Run& run, bool all);

}  // namespace orrery::present
