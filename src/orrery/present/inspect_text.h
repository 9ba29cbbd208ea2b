// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/analysis/summary.h"
#include "orrery/report/text.h"

namespace orrery::present {

/// A workload's summary for people.
[[nodiscard]] std::string inspection_text(const std::string& name, const graph::Workload& workload,
                                          const analysis::Summary& summary, report::Style style);

/// The same as the envelope of `orrery inspect`.
[[nodiscard]] std::string inspection_json(const std::string& name, const graph::Workload& workload,
                                          const analysis::Summary& summary);

}  // namespace orrery::present
