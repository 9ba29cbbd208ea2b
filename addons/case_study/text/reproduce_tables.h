// SPDX-License-Identifier: Apache-2.0
//
// A case study with its results, and the columns of its tables for every output format.
#pragma once

#include <string>
#include <vector>

#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"
#include "addons/case_study/published_comparison.h"
#include "orrery/report/answer/columns.h"

namespace orrery::present {

struct Reproduction {
  case_study::CaseStudy study;
  case_study::RunResults answers;
  case_study::CaseTable table;

  /// Runs that could not be simulated.
  [[nodiscard]] std::size_t failed() const;
};

/// A run with its result and its cells in the table of the study.
struct ReproducedRun {
  const case_study::GridRun& run;
  const case_study::RunResult& result;
  const std::vector<double>& cells;
};
[[nodiscard]] std::vector<ReproducedRun> reproduced_runs(const Reproduction& reproduction);

// The functions below return columns that refer to the reproduction, which must outlive them.

/// The choices of a run, then its figures.
[[nodiscard]] report::Columns<ReproducedRun> run_columns(const Reproduction& reproduction);
/// The choices of all axes but one, the best choice of that one, then its figures.
[[nodiscard]] report::Columns<case_study::BestChoice> best_columns(
    const Reproduction& reproduction);
/// A published figure and the simulated one.
[[nodiscard]] report::Columns<case_study::PublishedComparison> published_columns(
    const Reproduction& reproduction);
[[nodiscard]] report::Columns<case_study::StudyInput> input_columns();

/// "A: read in the authors' …", for the kinds of evidence in the study.
[[nodiscard]] std::vector<std::string> source_mark_lines(const Reproduction& reproduction);
/// The reason why a figure differs, or why none is simulated.
[[nodiscard]] std::string reason(const case_study::PublishedComparison& comparison);

}  // namespace orrery::present
