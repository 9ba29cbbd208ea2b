// SPDX-License-Identifier: Apache-2.0
//
// Answers of `orrery trace slice` and `orrery trace anonymize`.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/edit/cut_files.h"
#include "orrery/intake/edit/obfuscate.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_cut(report::Answer& answer, const std::vector<intake::CutPiece>& pieces,
               const Findings& findings);

/// `to`: path of the output traces.
void state_obfuscate(report::Answer& answer, const intake::ObfuscateReport& report,
                     const std::string& to, const Findings& findings);

}  // namespace orrery::present
