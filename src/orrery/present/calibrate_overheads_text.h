// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate overheads` says, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/calibrate_overheads.h"

namespace orrery::present {

/// `file`: that was written; empty: none. Of each kind the operators are
/// listed that were measured most; all are in the file and the JSON.
[[nodiscard]] std::string overheads_text(const study::OverheadsAnswer& answer,
                                         const std::string& file, report::Style style);
[[nodiscard]] std::string overheads_json(const study::OverheadsAnswer& answer,
                                         const std::string& file);

}  // namespace orrery::present
