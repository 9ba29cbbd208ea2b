// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery compare`: two runs side by side, and why one is slower.
#pragma once

#include <optional>
#include <string>

#include "orrery/analysis/comparison/compare_runs.h"
#include "orrery/report/answer/answer.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// Two runs, their comparison and the given threshold.
struct RunComparison {
  std::string file_a, file_b;
  result::Run a, b;
  analysis::Comparison comparison;
  std::optional<double> threshold;
  bool regressed = false;
};

void state_comparison(report::Answer& answer, const RunComparison& runs);

}  // namespace orrery::present
