// SPDX-License-Identifier: Apache-2.0
//
// What `orrery memory` says, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"
#include "orrery/workload/memory/memory.h"

namespace orrery::app {

/// `capacity` 0: not known. `changes`: what would make it fit, where it does not.
struct Fit {
  std::int64_t capacity = 0;
  std::vector<workload::MemoryChange> changes;
};
[[nodiscard]] std::string memory_text(const workload::Program& program,
                                      const workload::MemoryReport& report, const Fit& fit,
                                      const Findings& findings, report::Style style);
void write_memory(report::JsonWriter& json, const workload::Program& program,
                  const workload::MemoryReport& report, const Fit& fit);

}  // namespace orrery::app
