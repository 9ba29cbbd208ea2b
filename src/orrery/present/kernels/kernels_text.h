// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels` says of one kernel, and of what there is, as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/time_estimate.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/kernels/kernel_estimates.h"

namespace orrery::present {

[[nodiscard]] std::string kernel_text(const graph::Kernel& kernel,
                                      std::span<const study::DeviceKernelEstimates> answers,
                                      const Findings& findings, report::Style style);
[[nodiscard]] std::string kernel_json(const graph::Kernel& kernel,
                                      std::span<const study::DeviceKernelEstimates> answers,
                                      const Findings& findings);

/// Operations, formats and devices.
[[nodiscard]] std::string kernel_list_text(report::Style style);
[[nodiscard]] std::string kernel_list_json();

/// "549.8 GFLOP", "1.2 MB": four digits.
[[nodiscard]] std::string scaled_text(double number, std::string_view unit);
/// "989.4", "15000": of 10^12 a second.
[[nodiscard]] std::string tera_text(double rate);
/// "-3.1 to +4.0 %"; "-" of an empty one.
[[nodiscard]] std::string error_band_text(const model::ErrorBand& band);
/// "operation", "pass", "formats", "sizes", "traits", "launches" of the object that is open.
void write_kernel(report::JsonWriter& json, const graph::Kernel& kernel);
/// A field "band" with "least" and "most"; null for an empty one.
void write_band(report::JsonWriter& json, const model::ErrorBand& band);

}  // namespace orrery::present
