// SPDX-License-Identifier: Apache-2.0
//
// Ranks single changes by time saved, and tests whether pairs of the best add up.
#pragma once

#include <optional>
#include <span>

#include "orrery/core/error.h"
#include "orrery/study/whatif/whatif.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {

/// The interval of the difference, or why it has none; neither when all times are recorded.
[[nodiscard]] analysis::StepDifference difference_of(const StepEstimate& base,
                                                     const StepEstimate& changed,
                                                     std::span<const Change> changes);

/// Fills WhatIf::list and left_out, and pairs if requested. `made` contains the base. Errc: that of
/// the first change that cannot be simulated, except for plans that are invalid.
[[nodiscard]] Result<void> rank_changes(const WhatIfQuestion& question, const WhatIfCase& read,
                                        WhatIf& made);

}  // namespace orrery::study
