// SPDX-License-Identifier: Apache-2.0
//
// The cells of a case study's tables, whatever they are written as.
#pragma once

#include <string>
#include <vector>

#include "addons/case_study/text/reproduce_text.h"

namespace orrery::present {

struct StudyTable {
  std::vector<report::Table::Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A row for each run: its choices, then its figures.
[[nodiscard]] StudyTable runs_table(const Reproduction& reproduction);
/// A row for each of the best; no rows where the study does not ask for them.
[[nodiscard]] StudyTable best_table(const Reproduction& reproduction);
/// A row for each published figure, with ours beside it.
[[nodiscard]] StudyTable published_table(const Reproduction& reproduction);
/// A row for each thing that runs are made of.
[[nodiscard]] StudyTable inputs_table(const Reproduction& reproduction);
/// "A: read in the authors' …", those that the study has.
[[nodiscard]] std::vector<std::string> source_mark_lines(const Reproduction& reproduction);
/// Why a figure differs, or why there is none, by row of published_table.
[[nodiscard]] std::string reason(const case_study::PublishedComparison& comparisons);

}  // namespace orrery::present
