// SPDX-License-Identifier: Apache-2.0
//
// The text of `orrery calibrate compute --write-model` about the model.
#pragma once

#include <string>
#include <vector>

#include "addons/kernel_fitting/training/fit_kernel_models.h"

namespace orrery::present {

/// A line for each class of kernels (and device).
[[nodiscard]] std::vector<std::string> model_errors(const model::KernelFit& fit);

}  // namespace orrery::present
