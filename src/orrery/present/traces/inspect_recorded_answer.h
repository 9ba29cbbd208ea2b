// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace info` for recorded traces: iterations, kernels, communication.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/profile/inspection/advice.h"
#include "orrery/profile/inspection/inspection.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// A rank of a job.
struct RankInspection {
  std::uint32_t rank = 0;
  std::string file;
  std::string format;
  std::string device;
  profile::Inspection inspection;
  std::vector<profile::Advice> advice{};
};

void state_recorded(report::Answer& answer, const std::vector<RankInspection>& ranks,
                    const intake::Job& job, const Findings& findings);

}  // namespace orrery::present
