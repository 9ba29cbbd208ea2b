// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery job count`.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/report/answer/answer.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::present {

/// `platform`: of the cluster; the default when none is given. With a device of the catalog, the
/// answer has the peaks of `orrery run`: the reference, and that of the formats of products.
void state_count(report::Answer& answer, const workload::Program& program,
                 const workload::StepCount& count, const platform::Platform& platform,
                 const Findings& findings);

}  // namespace orrery::present
