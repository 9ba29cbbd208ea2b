// SPDX-License-Identifier: Apache-2.0
//
// Plot of the structure of ranks.
#pragma once

#include <string>

#include "orrery/graph/workload.h"

namespace orrery::present {

/// A strip for each distinct rank, at most eight: its operations from left to right, as wide as
/// their recorded durations (without times: their count). Each repetition is a box with its
/// contents below. Self-contained SVG; the same input gives the same bytes.
[[nodiscard]] std::string structure_svg(const std::string& name, const graph::Workload& workload);

}  // namespace orrery::present
