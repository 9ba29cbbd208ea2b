// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/calibration_model.h"

namespace orrery::study {

Result<model::KernelFit> fit_calibration(const ComputeCalibration& answer) {
  model::FitOptions options;
  options.by = model::has_xgboost() ? model::Learner::trees : model::Learner::nets;
  options.leave_out = false;
  options.notes = answer.notes;
  return model::fit_kernel_models(answer.kernels.rows, answer.kernels.silicons, options);
}

}  // namespace orrery::study
