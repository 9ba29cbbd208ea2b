// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace info` for Chakra traces.
#pragma once

#include <string>

#include "orrery/analysis/workload/workload_summary.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_workload(report::Answer& answer, const std::string& name,
                    const graph::Workload& workload, const analysis::WorkloadSummary& summary);

}  // namespace orrery::present
