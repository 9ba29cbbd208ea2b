// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels` says of a training step, as text and as JSON.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/kernels/steps/step_kernels.h"

namespace orrery::present {

/// By class, or with `all` every distinct kernel; the longest first.
[[nodiscard]] std::string kernels_step_text(const workload::Program& program,
                                            const platform::Platform& platform,
                                            const study::StepKernels& step, bool all,
                                            const Findings& findings, report::Style style);
[[nodiscard]] std::string kernels_step_json(const workload::Program& program,
                                            const platform::Platform& platform,
                                            const study::StepKernels& step, bool all,
                                            const Findings& findings);

}  // namespace orrery::present
