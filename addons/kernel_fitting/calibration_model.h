// SPDX-License-Identifier: Apache-2.0
//
// Fits a model of kernel times to the kernels of a calibration.
#pragma once

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "orrery/core/error.h"
#include "orrery/study/calibrate/compute_calibration.h"

namespace orrery::study {

/// Uses trees if XGBoost is available, otherwise neural networks. `--kernel-model` and `device:
/// {kernel_model: …}` accept `KernelFit::file`. Errc: those of model::fit_kernel_models.
[[nodiscard]] Result<model::KernelFit> fit_calibration(const ComputeCalibration& answer);

}  // namespace orrery::study
