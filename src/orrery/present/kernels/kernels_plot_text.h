// SPDX-License-Identifier: Apache-2.0
//
// Output of `orrery kernels plot`: text, JSON and the plot.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/kernels/kernel_plot.h"

namespace orrery::present {

/// `path`: where the drawing was written.
[[nodiscard]] std::string kernels_plot_text(const study::KernelPlot& answer,
                                            const std::string& path, report::Style style);
[[nodiscard]] std::string kernels_plot_json(const study::KernelPlot& answer,
                                            const std::string& path);
[[nodiscard]] std::string kernels_plot_svg(const study::KernelPlot& answer);

}  // namespace orrery::present
