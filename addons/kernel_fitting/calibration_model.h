// SPDX-License-Identifier: Apache-2.0
//
// A model of kernel times, fitted to the kernels of a calibration.
#pragma once

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "orrery/core/error.h"
#include "orrery/study/calibrate/compute_calibration.h"

namespace orrery::study {

/// By trees where there is XGBoost, else by nets. `KernelFit::file` is what `--kernel-model` and
/// `device: {kernel_model: …}` read. Errc: those of model::fit_kernel_models.
[[nodiscard]] Result<model::KernelFit> fit_calibration(const ComputeCalibration& answer);

}  // namespace orrery::study
