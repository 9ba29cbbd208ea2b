// SPDX-License-Identifier: Apache-2.0
//
// The answers of `orrery explain`: what a figure means, and the list of all metrics.
#pragma once

#include "orrery/analysis/explanation/explain.h"
#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/result/run.h"

namespace orrery::present {

void state_explanation(report::Answer& answer, const analysis::Explanation& explanation,
                       const Findings& findings);

/// All metrics: values of the given run, or their meanings when `run` is null.
void state_metrics(report::Answer& answer, const result::Run* run);

}  // namespace orrery::present
