// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery network split`.
#pragma once

#include <string>

#include "addons/split_bandwidth/split_job.h"
#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// `file`: where the cluster with the best split was written to; empty: nowhere.
void state_split_bandwidth(report::Answer& answer, const split_bandwidth::SplitAnswer& result,
                           const std::string& file, const Findings& findings);

}  // namespace orrery::present
