// SPDX-License-Identifier: Apache-2.0
//
// Which single change wins most, and whether pairs of the best add up.
#pragma once

#include <optional>
#include <span>

#include "orrery/core/error.h"
#include "orrery/study/whatif/whatif.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {

/// Between what the true difference lies; empty where everything was recorded.
[[nodiscard]] std::optional<analysis::DifferenceInterval> band_of(const StepEstimate& base,
                                                                  const StepEstimate& changed,
                                                                  std::span<const Change> changes);

/// Fills WhatIf::list, left_out and, where they are asked for, pairs. `made` has the base. Errc: of
/// the first change that could not be simulated, but for plans that break a rule.
[[nodiscard]] Result<void> rank_changes(const WhatIfQuestion& question, const WhatIfCase& read,
                                        WhatIf& made);

}  // namespace orrery::study
