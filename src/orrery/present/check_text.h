// SPDX-License-Identifier: Apache-2.0
//
// Whether inputs are fit to be simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/text.h"
#include "orrery/study/check.h"

namespace orrery::present {

[[nodiscard]] std::string checked_text(const study::Checked& checked, report::Style style);
[[nodiscard]] std::string checked_json(const study::Checked& checked);

/// Of recorded traces that could all be read: `found` is where their ranks do not agree.
[[nodiscard]] std::string checked_text(const intake::Job& job, std::uint64_t records,
                                       const std::vector<intake::Mismatch>& found,
                                       const Findings& findings, report::Style style);
[[nodiscard]] std::string checked_json(const intake::Job& job,
                                       const std::vector<intake::Mismatch>& found,
                                       const Findings& findings);

}  // namespace orrery::present
