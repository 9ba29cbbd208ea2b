// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/text.h"
#include "orrery/search/split_job.h"

namespace orrery::present {

/// `file`: where the cluster with the best split was written to; empty: nowhere.
[[nodiscard]] std::string split_text(const search::SplitAnswer& answer, const std::string& file,
                                     const Findings& findings, report::Style style);
[[nodiscard]] std::string split_json(const search::SplitAnswer& answer, const std::string& file,
                                     const Findings& findings);

}  // namespace orrery::present
