// SPDX-License-Identifier: Apache-2.0
//
// Labels of the models used in a simulation.
#pragma once

#include <string>
#include <string_view>

#include "orrery/model/collective/library/library_times.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

[[nodiscard]] std::string_view name(platform::Rules rules);
[[nodiscard]] std::string_view name(platform::NetworkModelKind network);

/// Source of compute times: "recorded", "roofline", "table", "recorded_or_roofline",
/// "recorded_or_table", "recorded_or_table_or_fitted", "replay".
[[nodiscard]] std::string compute_label(const platform::Platform& platform);

/// Whether nodes without recorded times use models of isolated kernels on `platform`.
[[nodiscard]] bool predicts_kernels(const platform::Platform& platform);

/// Corrections that a step applies to predicted times of isolated kernels: "gaps of 1.376 us,
/// x 1.20 at 16 bits (-10 to +10 %)". Empty: no corrections, or no model predicts kernels.
[[nodiscard]] std::string in_step_label(const platform::Platform& platform);

/// Source of collective times: "nccl, measured curves", "nccl, cost model alone"; empty for null,
/// when the network simulates them.
[[nodiscard]] std::string library_label(const model::LibraryTimes* library);

}  // namespace orrery::study
