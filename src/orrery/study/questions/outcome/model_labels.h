// SPDX-License-Identifier: Apache-2.0
//
// Which model made the numbers.
#pragma once

#include <string>
#include <string_view>

#include "orrery/model/collective/library/library_times.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

[[nodiscard]] std::string_view name(platform::Rules rules);
[[nodiscard]] std::string_view name(platform::NetworkModelKind network);

/// In a word: "recorded", "roofline", "table", "recorded_or_roofline", "recorded_or_table",
/// "recorded_or_table_or_fitted", "replay".
[[nodiscard]] std::string compute_label(const platform::Platform& platform);

/// Whether nodes of `platform` that were not recorded are told by models of kernels alone.
[[nodiscard]] bool predicts_kernels(const platform::Platform& platform);

/// What a step adds to kernels that a model tells alone: "1.376 us between them, x 1.20 at 16 bits
/// (-10 to +10 %)"; empty: nothing, or nobody tells them.
[[nodiscard]] std::string in_step_label(const platform::Platform& platform);

/// Who says what collectives take: "nccl, measured curves", "nccl, cost model alone"; empty for
/// null, where the network says it.
[[nodiscard]] std::string library_label(const model::LibraryTimes* library);

}  // namespace orrery::study
