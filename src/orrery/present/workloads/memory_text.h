// SPDX-License-Identifier: Apache-2.0
//
// What `orrery memory` says, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::present {

/// `capacity` 0: not known. `changes`: what would make it fit, where it does not.
struct CapacityCheck {
  std::int64_t capacity = 0;
  std::vector<workload::FittingChange> changes;
};
[[nodiscard]] std::string memory_text(const workload::Program& program,
                                      const workload::MemoryReport& report,
                                      const CapacityCheck& fit, const Findings& findings,
                                      report::Style style);
[[nodiscard]] std::string memory_json(const workload::Program& program,
                                      const workload::MemoryReport& report,
                                      const CapacityCheck& fit, const Findings& findings);

}  // namespace orrery::present
