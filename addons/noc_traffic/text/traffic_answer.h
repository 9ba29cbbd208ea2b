// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery network noc`.
#pragma once

#include <string>

#include "addons/noc_traffic/traffic_curve.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// `file`: where the picture was written to; empty: nowhere.
void state_traffic(report::Answer& answer, const noc::CurveAnswer& curve, const std::string& file);

/// Latency by load as a self-contained SVG. Requires loads: not of a trace. The same curve gives
/// the same bytes.
[[nodiscard]] std::string latency_svg(const noc::CurveAnswer& curve);

}  // namespace orrery::present
