// SPDX-License-Identifier: Apache-2.0
//
// What a figure means, and all that can be asked about.
#pragma once

#include <string>

#include "orrery/analysis/explanation/explain.h"
#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/result/run.h"

namespace orrery::present {

[[nodiscard]] std::string explain_text(const analysis::Explanation& explanation,
                                       report::Style style);
[[nodiscard]] std::string explain_json(const analysis::Explanation& explanation,
                                       const Findings& findings);

/// All metrics: with a run their values, without (null) what they mean.
[[nodiscard]] std::string metrics_text(const result::Run* run, report::Style style);
[[nodiscard]] std::string metrics_json(const result::Run* run);

}  // namespace orrery::present
