// SPDX-License-Identifier: Apache-2.0
//
// Two runs side by side, and why one is slower.
#pragma once

#include <optional>
#include <string>

#include "orrery/analysis/compare.h"
#include "orrery/report/text.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// Two runs, what differs, and what was asked.
struct Verdict {
  std::string file_a, file_b;
  result::Run a, b;
  analysis::Comparison comparison;
  std::optional<double> threshold;
  bool regressed = false;
};

[[nodiscard]] std::string comparison_text(const Verdict& verdict, report::Style style);
[[nodiscard]] std::string comparison_json(const Verdict& verdict);

}  // namespace orrery::present
