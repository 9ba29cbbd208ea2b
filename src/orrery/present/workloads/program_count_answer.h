// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery job count` for a compiled program.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/hlo/lower/program_count.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_program_count(report::Answer& answer, const std::string& file,
                         const hlo::Program& program, const hlo::ProgramCount& count,
                         const Findings& findings);

}  // namespace orrery::present
