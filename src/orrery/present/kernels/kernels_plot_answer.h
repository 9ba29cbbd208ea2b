// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery kernels plot`, and the plot.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/kernels/kernel_plot.h"

namespace orrery::present {

/// `path`: the file of the plot.
void state_kernel_plot(report::Answer& answer, const study::KernelPlot& plot,
                       const std::string& path);
[[nodiscard]] std::string kernels_plot_svg(const study::KernelPlot& plot);

}  // namespace orrery::present
