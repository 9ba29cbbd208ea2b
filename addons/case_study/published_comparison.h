// SPDX-License-Identifier: Apache-2.0
//
// The table of a case study with values, and the comparison with published values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "addons/case_study/best_rows.h"
#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"

namespace orrery::case_study {

/// A published value and the predicted one.
struct PublishedComparison {
  const PublishedFigure* figure = nullptr;
  Unit unit = Unit::ratio;
  double published = kNone;
  double predicted = kNone;  ///< kNone: we have no value
  std::string run;           ///< the run of our value; if several were combined, their number

  /// predicted / published - 1
  [[nodiscard]] double difference() const { return predicted / published - 1; }
};

struct CaseTable {
  std::vector<std::vector<double>> cells;        ///< by run, then column; kNone: no value
  std::vector<BestChoice> best;                  ///< as requested by the file
  std::vector<PublishedComparison> comparisons;  ///< in the order of the file
};

/// `answers` are the results of the study's runs.
[[nodiscard]] CaseTable fill_case_table(const CaseStudy& study, std::span<const RunResult> answers);

}  // namespace orrery::case_study
