// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a run: by cause, and segment by segment.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// `all`: every segment in order of time, not only the longest.
[[nodiscard]] std::string critical_path_text(const result::Run& run, bool all, report::Style style);
[[nodiscard]] std::string critical_path_json(const result::Run& run, bool all);

}  // namespace orrery::present
