// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/clusters/topology_report.h"

namespace orrery::present {

/// `nodes`: with a line for each node and its links.
[[nodiscard]] std::string topology_text(const study::TopologyAnswer& answer, bool nodes,
                                        const Findings& findings, report::Style style);
[[nodiscard]] std::string topology_json(const study::TopologyAnswer& answer, bool nodes,
                                        const Findings& findings);
/// The fabric as a drawing: switches by tier, hosts below; what is too much is drawn as one. As
/// SVG; stands alone, the same bytes for the same input.
[[nodiscard]] std::string topology_svg(const study::TopologyAnswer& answer);

}  // namespace orrery::present
