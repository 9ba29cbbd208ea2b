// SPDX-License-Identifier: Apache-2.0
//
// Utilization relative to the peaks of the number formats in which matrix products run.
//
// The reference peak of a device (Run::peak_flops) has one precision, usually bf16. Products in fp8
// have a higher peak, and a job may use several formats: products with weights in fp8, attention in
// bf16. The devices need at least the sum of FLOPs / peak over the formats. The peak of the mix is
// all FLOPs divided by that time, and the utilization is that time / step.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::result {
struct Run;
}

namespace orrery::analysis {

/// The matrix products of a step whose inputs have one format, of all ranks.
struct FormatWork {
  std::string format;         ///< name of its peak in the catalog: "fp8"
  double model_flops = 0;     ///< as StepWork::model_flops
  double hardware_flops = 0;  ///< as StepWork::hardware_flops
  double peak = 0;            ///< dense peak of a device in this format, FLOP/s

  friend bool operator==(const FormatWork&, const FormatWork&) = default;
};

/// The manifest key of a run, and its value: "fp8 3.1e+21 3.2e+21 1.979e+15; bf16 …".
inline constexpr std::string_view kWorkByFormat = "work_by_format";
[[nodiscard]] std::string to_fact(std::span<const FormatWork> work);
/// The reverse. Empty if the text is not such a value: run files may contain any text.
[[nodiscard]] std::vector<FormatWork> parse_work_by_format(std::string_view fact);

/// Utilization relative to the peak of a mix of formats.
struct FormatUtilization {
  std::string formats;  ///< "fp8", or "fp8 92.1 %, bf16 7.9 %" of the model FLOPs
  double peak = 0;      ///< of the mix and one device, FLOP/s
  double mfu = 0, hfu = 0;
};

/// Empty if a peak is unknown, if there is no work, or if the peak of the mix is `reference`: the
/// utilization is then the usual one. O(formats).
[[nodiscard]] std::optional<FormatUtilization> format_utilization(std::span<const FormatWork> work,
                                                                  Time step, std::size_t devices,
                                                                  double reference);
/// Of a stored run. Empty also for a run that stalled.
[[nodiscard]] std::optional<FormatUtilization> format_utilization(const result::Run& run);

}  // namespace orrery::analysis
