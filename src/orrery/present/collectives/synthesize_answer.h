// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/collectives/collective_synthesis.h"

namespace orrery::present {

/// "all-gather of 1 GiB among 64 ranks of wafer-64"
[[nodiscard]] std::string synthesis_title(const study::CollectiveSynthesisAnswer& synthesis);
void state_synthesis(report::Answer& answer, const study::CollectiveSynthesisAnswer& synthesis,
                     const Findings& findings);
/// Links against time as self-contained SVG, each send a bar in the color of its piece; of many
/// links a sample. The same input gives the same bytes.
[[nodiscard]] std::string synthesis_svg(const study::CollectiveSynthesisAnswer& answer);

}  // namespace orrery::present
