// SPDX-License-Identifier: Apache-2.0
//
// Who is best along an axis of a case study, of those that fit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"

namespace orrery::case_study {

/// One combination of the other axes' choices.
struct BestChoice {
  std::string memory;              ///< of the file's `best: memory`; empty: the cluster's own
  std::vector<std::string> at;     ///< the other axes' choices, in their order
  std::optional<std::size_t> run;  ///< the first of the best; empty: nothing fits
  double ratio = kNone;            ///< the first row's best over this one's
};

/// In the order of runs, for each of them by memory. `cells` are the study's table, by run and
/// column. Empty where the study does not ask for it.
[[nodiscard]] std::vector<BestChoice> best_rows(const CaseStudy& study,
                                                std::span<const std::vector<double>> cells,
                                                std::span<const RunResult> answers);

}  // namespace orrery::case_study
