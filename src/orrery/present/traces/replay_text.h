// SPDX-License-Identifier: Apache-2.0
//
// A recording played again, beside what was recorded.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/recordings/replay.h"

namespace orrery::present {

[[nodiscard]] std::string replay_text(const study::Replay& replay, report::Style style);
[[nodiscard]] std::string replay_json(const study::Replay& replay);

}  // namespace orrery::present
