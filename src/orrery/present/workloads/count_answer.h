// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery job count`.
#pragma once

#include <span>

#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/report/answer/answer.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::present {

/// A cluster's dimensions, innermost first; empty when no cluster is given.
using Dimensions = std::span<const platform::Dimension>;

void state_count(report::Answer& answer, const workload::Program& program,
                 const workload::StepCount& count, Dimensions dims, const Findings& findings);

}  // namespace orrery::present
