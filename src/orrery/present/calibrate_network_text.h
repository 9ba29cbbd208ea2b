// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate network` says, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/calibrate_network.h"

namespace orrery::present {

/// `curves`, `tuner`: the files that were written; empty: none.
[[nodiscard]] std::string network_text(const study::NetworkAnswer& answer,
                                       const std::string& curves, const std::string& tuner,
                                       report::Style style);
[[nodiscard]] std::string network_json(const study::NetworkAnswer& answer,
                                       const std::string& curves, const std::string& tuner);

/// Held-back sizes against what the others say of them, as a drawing.
[[nodiscard]] std::string network_svg(const study::NetworkAnswer& answer);

}  // namespace orrery::present
