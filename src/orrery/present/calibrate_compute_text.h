// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate compute` says, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/calibrate_compute.h"

namespace orrery::present {

/// `table`, `model`: the files that were written; empty: none.
[[nodiscard]] std::string compute_text(const study::ComputeAnswer& answer, const std::string& table,
                                       const std::string& model, report::Style style);
[[nodiscard]] std::string compute_json(const study::ComputeAnswer& answer, const std::string& table,
                                       const std::string& model);

}  // namespace orrery::present
