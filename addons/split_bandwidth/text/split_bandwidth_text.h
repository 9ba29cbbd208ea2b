// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "addons/split_bandwidth/split_job.h"
#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// `file`: where the cluster with the best split was written to; empty: nowhere.
[[nodiscard]] std::string split_bandwidth_text(const split_bandwidth::SplitAnswer& answer,
                                               const std::string& file, const Findings& findings,
                                               report::Style style);
[[nodiscard]] std::string split_bandwidth_json(const split_bandwidth::SplitAnswer& answer,
                                               const std::string& file, const Findings& findings);

}  // namespace orrery::present
