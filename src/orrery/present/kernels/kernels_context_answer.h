// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery kernels context`.
#pragma once

#include <set>
#include <span>
#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/kernels/steps/kernel_context.h"

namespace orrery::present {

/// `shapes`: one row per shape. `unknown_devices`: recorded devices missing from the catalog.
void state_kernel_context(report::Answer& answer,
                          std::span<const study::DeviceKernelContext> devices,
                          const std::set<std::string>& unknown_devices, bool shapes,
                          const Findings& findings);

}  // namespace orrery::present
