// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/text/calibration_model_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::present {

std::vector<std::string> model_errors(const model::KernelFit& fit) {
  std::vector<std::string> lines;
  for (const model::KernelFitReport& about : fit.reports)
    lines.push_back(fmt::format("{}{}: {:.1f} % off by the median of {} held back",
                                name(about.kernels),
                                about.device.empty() ? "" : ", " + printable(about.device),
                                100 * about.seen.median_error, format_count(about.seen.rows)));
  return lines;
}

}  // namespace orrery::present
