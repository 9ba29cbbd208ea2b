// SPDX-License-Identifier: Apache-2.0
//
// A run that is no simulation: a step by Calculon's rules.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/space/metrics.h"
#include "orrery/space/space.h"

namespace orrery::space {

/// Of a run with `calculon`: what its `model`, `system` and `execution` take. Compute is forward,
/// backward, recomputation and optimizer; communication what links carry; idle the bubble.
/// Errc: config_*.
[[nodiscard]] Result<Values> calculon_values(const Run& run, const std::string& where);

}  // namespace orrery::space
