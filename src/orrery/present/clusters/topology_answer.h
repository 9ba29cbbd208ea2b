// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/clusters/topology_report.h"

namespace orrery::present {

/// `nodes`: also every node and every link.
void state_topology(report::Answer& answer, const study::TopologyAnswer& fabric, bool nodes,
                    const Findings& findings);
/// Plot of the fabric as self-contained SVG: switches by tier, hosts below; nodes beyond the limits
/// are collapsed into one box. The same input gives the same bytes.
[[nodiscard]] std::string topology_svg(const study::TopologyAnswer& answer);

}  // namespace orrery::present
