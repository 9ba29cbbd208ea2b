// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/collective_synthesis.h"

namespace orrery::present {

[[nodiscard]] std::string synthesis_text(const study::CollectiveSynthesisAnswer& answer,
                                         const Findings& findings, report::Style style);
[[nodiscard]] std::string synthesis_json(const study::CollectiveSynthesisAnswer& answer,
                                         const Findings& findings);
/// Links against time, each send a bar in its piece's colour; of many links some. As SVG; stands
/// alone, the same bytes for the same input.
[[nodiscard]] std::string synthesis_svg(const study::CollectiveSynthesisAnswer& answer);

}  // namespace orrery::present
