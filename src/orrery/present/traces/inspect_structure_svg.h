// SPDX-License-Identifier: Apache-2.0
//
// What ranks' work is made of, as a drawing.
#pragma once

#include <string>

#include "orrery/graph/workload.h"

namespace orrery::present {

/// A strip for each distinct rank, at most eight: its work from left to right, as wide as it was
/// recorded to take (or, without times, by numbers of works); what repeats is a box for each time,
/// and below what stands in it. As SVG that stands alone. The same bytes for the same input.
[[nodiscard]] std::string structure_svg(const std::string& name, const graph::Workload& workload);

}  // namespace orrery::present
