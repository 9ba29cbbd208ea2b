// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels fit` prints, as text and as JSON.
#pragma once

#include <string>

#include "addons/kernel_fitting/kernel_fit.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// `path`: where the model was written.
[[nodiscard]] std::string kernels_fit_text(const study::KernelFitAnswer& answer,
                                           const std::string& path, report::Style style);
[[nodiscard]] std::string kernels_fit_json(const study::KernelFitAnswer& answer,
                                           const std::string& path);

}  // namespace orrery::present
