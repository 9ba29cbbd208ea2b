// SPDX-License-Identifier: Apache-2.0
//
// Finds the best choice along an axis of a case study, among the runs that fit in memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"

namespace orrery::case_study {

/// The best run for one combination of choices along the other axes.
struct BestChoice {
  std::string memory;  ///< from `best: memory` in the file; empty: the memory of the cluster
  std::vector<std::string> at;     ///< choices along the other axes, in order
  std::optional<std::size_t> run;  ///< the first of the best runs; empty: none fits
  double ratio = kNone;            ///< best value of the first row / that of this row
};

/// In the order of runs, and by memory for each of them. `cells` is the study's table, by run and
/// column. Empty if the study does not request it.
[[nodiscard]] std::vector<BestChoice> best_rows(const CaseStudy& study,
                                                std::span<const std::vector<double>> cells,
                                                std::span<const RunResult> answers);

}  // namespace orrery::case_study
