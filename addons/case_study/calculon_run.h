// SPDX-License-Identifier: Apache-2.0
//
// A run without simulation: a step according to Calculon.
#pragma once

#include <string>

#include "addons/case_study/run_grid.h"
#include "addons/case_study/run_metrics.h"
#include "orrery/core/error.h"

namespace orrery::case_study {

/// For a run with `calculon`: the step time of its `model`, `system` and `execution`. Compute is
/// forward, backward, recomputation and optimizer; communication is the busy time of links; idle is
/// the bubble. Errc: config_*.
[[nodiscard]] Result<MetricValues> calculon_values(const GridRun& run, const std::string& where);

}  // namespace orrery::case_study
