// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery memory`.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::present {

/// `capacity` 0: not known. `changes`: changes of the plan that make it fit.
struct CapacityCheck {
  std::int64_t capacity = 0;
  std::vector<workload::FittingChange> changes;
};
void state_memory(report::Answer& answer, const workload::Program& program,
                  const workload::MemoryReport& report, const CapacityCheck& fit,
                  const Findings& findings);

}  // namespace orrery::present
