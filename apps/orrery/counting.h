// SPDX-License-Identifier: Apache-2.0
//
// What `orrery count` and `orrery memory` say, as text and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"
#include "orrery/workload/memory/memory.h"
#include "orrery/workload/program/count.h"

namespace orrery::app {

/// A cluster's dimensions, innermost first; empty when no cluster is given.
using Dimensions = std::span<const platform::Dimension>;

[[nodiscard]] std::string count_text(const workload::Program& program, const workload::Count& count,
                                     Dimensions dims, const Findings& findings,
                                     report::Style style);
/// The value of "result".
void write_count(report::JsonWriter& json, const workload::Program& program,
                 const workload::Count& count, Dimensions dims);

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
