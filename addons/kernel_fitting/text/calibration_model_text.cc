// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/text/calibration_model_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::present {

std::vector<std::string> model_errors(const model::KernelFit& fit) {
  std::vector<std::string> lines;
  for (const model::KernelFitReport& about : fit.reports)
    lines.push_back(
        fmt::format("{}{}: median error {:.1f} % of {} held-out kernels", name(about.kernels),
                    about.device.empty() ? "" : ", " + printable(about.device),
                    100 * about.test_error.median_error, format_count(about.test_error.rows)));
  return lines;
}

}  // namespace orrery::present
