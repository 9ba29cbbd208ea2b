// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery calibrate compute`.
#pragma once

#include <string>
#include <vector>

#include "orrery/report/answer/answer.h"
#include "orrery/study/calibrate/compute_calibration.h"

namespace orrery::present {

/// A model of kernel times that an add-on fits to the kernels of a calibration.
struct KernelModelFile {
  std::string path;                 ///< empty: there is no model
  std::string text;                 ///< the file
  std::vector<std::string> errors;  ///< its error for each class of kernels, a line each
};

/// `table`: the file that was written; empty: none.
void state_compute_calibration(report::Answer& answer, const study::ComputeCalibration& calibration,
                               const std::string& table, const KernelModelFile& model);

}  // namespace orrery::present
