// SPDX-License-Identifier: Apache-2.0
//
// Two runs side by side, and why one is slower.
#pragma once

#include <optional>
#include <string>

#include "orrery/analysis/comparison/compare_runs.h"
#include "orrery/report/terminal_text.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// Two runs, what differs, and what was asked.
struct RunComparison {
  std::string file_a, file_b;
  result::Run a, b;
  analysis::Comparison comparison;
  std::optional<double> threshold;
  bool regressed = false;
};

[[nodiscard]] std::string compare_text(const RunComparison& verdict, report::Style style);
[[nodiscard]] std::string compare_json(const RunComparison& verdict);

}  // namespace orrery::present
