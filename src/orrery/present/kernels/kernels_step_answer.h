// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery kernels` for a training step.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/kernels/steps/step_kernels.h"

namespace orrery::present {

/// By class, or with `all` every distinct kernel; the longest first.
void state_step_kernels(report::Answer& answer, const workload::Program& program,
                        const platform::Platform& platform, const study::StepKernels& step,
                        bool all, const Findings& findings);

}  // namespace orrery::present
