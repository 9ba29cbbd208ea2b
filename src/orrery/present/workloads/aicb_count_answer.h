// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery job count` for a workload of AICB.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/intake/formats/aicb_workload.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_aicb_count(report::Answer& answer, const std::string& file,
                      const intake::AicbCount& count, const Findings& findings);

}  // namespace orrery::present
