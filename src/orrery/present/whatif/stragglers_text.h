// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/stragglers/straggler_search.h"

namespace orrery::present {

/// Who made others wait, what the step would win without, and how sure that is.
[[nodiscard]] std::string stragglers_text(const study::StragglerReport& answer,
                                          report::Style style);
[[nodiscard]] std::string stragglers_json(const study::StragglerReport& answer);

}  // namespace orrery::present
