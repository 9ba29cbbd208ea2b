// SPDX-License-Identifier: Apache-2.0
//
// What cutting and obfuscating traces left.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/edit/cut_files.h"
#include "orrery/intake/edit/obfuscate.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

[[nodiscard]] std::string cut_text(const std::vector<intake::CutPiece>& pieces,
                                   report::Style style);
[[nodiscard]] std::string cut_json(const std::vector<intake::CutPiece>& pieces,
                                   const Findings& findings);

/// `to`: where the traces went.
[[nodiscard]] std::string obfuscate_text(const intake::ObfuscateReport& report,
                                         const std::string& to, report::Style style);
[[nodiscard]] std::string obfuscate_json(const intake::ObfuscateReport& report,
                                         const Findings& findings);

}  // namespace orrery::present
