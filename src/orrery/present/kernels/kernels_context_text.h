// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels context` says, as text and as JSON.
#pragma once

#include <set>
#include <span>
#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/kernels/steps/kernel_context.h"

namespace orrery::present {

/// `shapes`: rows are shapes. `strangers`: devices that nobody knows.
[[nodiscard]] std::string kernels_context_text(std::span<const study::DeviceKernelContext> devices,
                                               const std::set<std::string>& unknown_devices,
                                               bool shapes, const Findings& findings,
                                               report::Style style);
[[nodiscard]] std::string kernels_context_json(std::span<const study::DeviceKernelContext> devices,
                                               const std::set<std::string>& unknown_devices,
                                               bool shapes, const Findings& findings);

}  // namespace orrery::present
