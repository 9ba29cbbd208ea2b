// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/report/terminal_text.h"
#include "orrery/study/collectives/collective_synthesis.h"

namespace orrery::present {

/// "all-gather of 1 GiB among 64 ranks of wafer-64"
[[nodiscard]] std::string synthesis_title(const study::CollectiveSynthesisAnswer& answer);
/// What came of it, line by line: label, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> synthesis_lines(
    const study::CollectiveSynthesisAnswer& answer);
[[nodiscard]] std::string synthesis_text(const study::CollectiveSynthesisAnswer& answer,
                                         const Findings& findings, report::Style style);
[[nodiscard]] std::string synthesis_json(const study::CollectiveSynthesisAnswer& answer,
                                         const Findings& findings);
/// Links against time, each send a bar in its piece's colour; of many links some. As SVG; stands
/// alone, the same bytes for the same input.
[[nodiscard]] std::string synthesis_svg(const study::CollectiveSynthesisAnswer& answer);

}  // namespace orrery::present
