// SPDX-License-Identifier: Apache-2.0
//
// What `orrery whatif` lists: changes by the time they save, and the kinds of changes.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::present {

/// The changes that were tried, alone and in pairs.
void state_change_list(report::Answer& answer, const study::WhatIf& result);

/// The list as bars: the saving of each change, and its upper limit.
[[nodiscard]] std::string whatif_svg(const study::WhatIf& result);

/// All change kinds of --change.
void state_change_kinds(report::Answer& answer);

}  // namespace orrery::present
