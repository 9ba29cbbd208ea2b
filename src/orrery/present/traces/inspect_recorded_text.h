// SPDX-License-Identifier: Apache-2.0
//
// What is in recorded traces: iterations, kernels, communication.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/profile/inspection/inspection.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// A rank of a job.
struct RankInspection {
  std::uint32_t rank = 0;
  std::string file;
  std::string format;
  std::string device;
  profile::Inspection inspection;
};

[[nodiscard]] std::string inspect_recorded_text(const std::vector<RankInspection>& ranks,
                                                const intake::Job& job, const Findings& findings,
                                                report::Style style);
[[nodiscard]] std::string inspect_recorded_json(const std::vector<RankInspection>& ranks,
                                                const Findings& findings);

}  // namespace orrery::present
