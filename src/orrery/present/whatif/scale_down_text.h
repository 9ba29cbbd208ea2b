// SPDX-License-Identifier: Apache-2.0
//
// A job made smaller, beside what it was.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/scale_down/scale_down.h"

namespace orrery::present {

[[nodiscard]] std::string scale_down_text(const study::ScaleDown& made, report::Style style);
[[nodiscard]] std::string scale_down_json(const study::ScaleDown& made);

}  // namespace orrery::present
