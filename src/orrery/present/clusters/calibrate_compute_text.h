// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate compute` says, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "orrery/report/terminal_text.h"
#include "orrery/study/calibrate/compute_calibration.h"

namespace orrery::present {

/// A model of kernel times that an add-on fits to the kernels of a calibration.
struct KernelModelFile {
  std::string path;                 ///< empty: there is no model
  std::string text;                 ///< the file
  std::vector<std::string> errors;  ///< its error for each class of kernels, a line each
};

/// `table`: the file that was written; empty: none.
[[nodiscard]] std::string calibrate_compute_text(const study::ComputeCalibration& answer,
                                                 const std::string& table,
                                                 const KernelModelFile& model, report::Style style);
[[nodiscard]] std::string calibrate_compute_json(const study::ComputeCalibration& answer,
                                                 const std::string& table,
                                                 const KernelModelFile& model);

}  // namespace orrery::present
