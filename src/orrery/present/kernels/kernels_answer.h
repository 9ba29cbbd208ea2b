// SPDX-License-Identifier: Apache-2.0
//
// Answers of `orrery kernels` for one kernel and without a kernel.
#pragma once

#include <span>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/kernels/kernel_estimates.h"

namespace orrery::present {

/// Predicted times of all models, by device.
void state_kernel(report::Answer& answer, const graph::Kernel& kernel,
                  std::span<const study::DeviceKernelEstimates> devices, const Findings& findings);
/// Operations, formats and devices.
void state_kernel_list(report::Answer& answer);

}  // namespace orrery::present
