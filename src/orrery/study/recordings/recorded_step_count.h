// SPDX-License-Identifier: Apache-2.0
//
// How many steps a recording holds, one after another.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::study {

/// Errc::usage for a number of steps that cannot be; 0 is as many as are found.
[[nodiscard]] Result<void> check_step_count(std::int64_t asked);
/// As asked; of 0 as often as the first rank's work repeats, at least once.
[[nodiscard]] std::int64_t step_count(const graph::Workload& workload, std::int64_t asked);

}  // namespace orrery::study
