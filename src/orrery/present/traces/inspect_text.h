// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/analysis/workload/workload_summary.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// A workload's summary for people.
[[nodiscard]] std::string inspect_text(const std::string& name, const graph::Workload& workload,
                                       const analysis::WorkloadSummary& summary,
                                       report::Style style);

/// The same as the envelope of `orrery inspect`.
[[nodiscard]] std::string inspect_json(const std::string& name, const graph::Workload& workload,
                                       const analysis::WorkloadSummary& summary);

}  // namespace orrery::present
