// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery kernels fit`.
#pragma once

#include <string>

#include "addons/kernel_fitting/kernel_fit.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// `path`: where the model was written.
void state_kernels_fit(report::Answer& answer, const study::KernelFitAnswer& fitted,
                       const std::string& path);

}  // namespace orrery::present
