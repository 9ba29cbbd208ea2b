// SPDX-License-Identifier: Apache-2.0
//
// A run that is no simulation: a step by Calculon's rules.
#pragma once

#include <string>

#include "addons/case_study/run_grid.h"
#include "addons/case_study/run_metrics.h"
#include "orrery/core/error.h"

namespace orrery::case_study {

/// Of a run with `calculon`: what its `model`, `system` and `execution` take. Compute is forward,
/// backward, recomputation and optimizer; communication what links carry; idle the bubble.
/// Errc: config_*.
[[nodiscard]] Result<MetricValues> calculon_values(const GridRun& run, const std::string& where);

}  // namespace orrery::case_study
