// SPDX-License-Identifier: Apache-2.0
//
// Whether inputs are fit to be simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/questions/inputs/input_check.h"

namespace orrery::present {

[[nodiscard]] std::string check_text(const study::InputCheck& checked, report::Style style);
[[nodiscard]] std::string check_json(const study::InputCheck& checked);

/// Of recorded traces that could all be read: `found` is where their ranks do not agree.
[[nodiscard]] std::string check_text(const intake::Job& job, std::uint64_t records,
                                     const std::vector<intake::Mismatch>& found,
                                     const Findings& findings, report::Style style);
[[nodiscard]] std::string check_json(const intake::Job& job,
                                     const std::vector<intake::Mismatch>& found,
                                     const Findings& findings);

}  // namespace orrery::present
