// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels fit` and `orrery kernels plot` say, as text and as JSON, and the drawing.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/kernel_fit.h"
#include "orrery/study/kernel_plot.h"

namespace orrery::present {

/// `path`: where the model was written.
[[nodiscard]] std::string fit_text(const study::FitAnswer& answer, const std::string& path,
                                   report::Style style);
[[nodiscard]] std::string fit_json(const study::FitAnswer& answer, const std::string& path);

/// `path`: where the drawing was written.
[[nodiscard]] std::string plot_text(const study::PlotAnswer& answer, const std::string& path,
                                    report::Style style);
[[nodiscard]] std::string plot_json(const study::PlotAnswer& answer, const std::string& path);
[[nodiscard]] std::string plot_svg(const study::PlotAnswer& answer);

}  // namespace orrery::present
