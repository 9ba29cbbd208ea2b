// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run_text.h"

namespace orrery::app {

/// Two runs of one workload side by side, and what the difference consists of. Both are finished.
[[nodiscard]] std::string side_by_side(const study::Outcome& one, const study::Outcome& two,
                                       report::Style style);

}  // namespace orrery::app
