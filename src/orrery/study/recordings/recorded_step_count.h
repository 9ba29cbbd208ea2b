// SPDX-License-Identifier: Apache-2.0
//
// The number of consecutive steps in a recording.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::study {

/// Errc::usage for an invalid number of steps; 0 means detect.
[[nodiscard]] Result<void> check_step_count(std::int64_t asked);
/// `asked`; for 0 the number of repetitions of the first rank's work, at least 1.
[[nodiscard]] std::int64_t step_count(const graph::Workload& workload, std::int64_t asked);

}  // namespace orrery::study
