// SPDX-License-Identifier: Apache-2.0
//
// A case study's table filled in, and its figures beside those that were published.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "addons/case_study/best_rows.h"
#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"

namespace orrery::case_study {

/// A published figure and ours.
struct PublishedComparison {
  const PublishedFigure* figure = nullptr;
  Unit unit = Unit::ratio;
  double published = kNone;
  double ours = kNone;  ///< kNone: there is none
  std::string run;      ///< whose it is, of one or the extreme; else how many they are

  /// Ours over the published, less 1.
  [[nodiscard]] double difference() const { return ours / published - 1; }
};

struct CaseTable {
  std::vector<std::vector<double>> cells;        ///< by run, then column; kNone: nothing
  std::vector<BestChoice> best;                  ///< as the file asks for it
  std::vector<PublishedComparison> comparisons;  ///< as the file has them
};

/// `answers` are those of the study's runs.
[[nodiscard]] CaseTable fill_case_table(const CaseStudy& study, std::span<const RunResult> answers);

}  // namespace orrery::case_study
