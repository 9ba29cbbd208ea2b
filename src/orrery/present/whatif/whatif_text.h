// SPDX-License-Identifier: Apache-2.0
//
// What a change is worth.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::present {

[[nodiscard]] std::string whatif_text(const study::WhatIf& predicted, report::Style style);
[[nodiscard]] std::string whatif_json(const study::WhatIf& predicted);

/// The list as bars: what each change wins, and what it could win at most.
[[nodiscard]] std::string whatif_svg(const study::WhatIf& predicted);

/// All words that --change knows.
[[nodiscard]] std::string changes_text(report::Style style);
[[nodiscard]] std::string changes_json();

}  // namespace orrery::present
