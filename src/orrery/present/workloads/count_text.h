// SPDX-License-Identifier: Apache-2.0
//
// What `orrery count` says, as text and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/report/terminal_text.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::present {

/// A cluster's dimensions, innermost first; empty when no cluster is given.
using Dimensions = std::span<const platform::Dimension>;

[[nodiscard]] std::string count_text(const workload::Program& program,
                                     const workload::StepCount& count, Dimensions dims,
                                     const Findings& findings, report::Style style);
[[nodiscard]] std::string count_json(const workload::Program& program,
                                     const workload::StepCount& count, Dimensions dims,
                                     const Findings& findings);

}  // namespace orrery::present
