// SPDX-License-Identifier: Apache-2.0
//
// The cells of a case study's tables, whatever they are written as.
#pragma once

#include <string>
#include <vector>

#include "orrery/present/case_study_text.h"

namespace orrery::present {

struct Sheetful {
  std::vector<report::Table::Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A row for each run: its choices, then its figures.
[[nodiscard]] Sheetful runs_sheet(const ToldStudy& told);
/// A row for each of the best; no rows where the study does not ask for them.
[[nodiscard]] Sheetful best_sheet(const ToldStudy& told);
/// A row for each published figure, with ours beside it.
[[nodiscard]] Sheetful published_sheet(const ToldStudy& told);
/// A row for each thing that runs are made of.
[[nodiscard]] Sheetful inputs_sheet(const ToldStudy& told);
/// "A: read in the authors' …", those that the study has.
[[nodiscard]] std::vector<std::string> mark_lines(const ToldStudy& told);
/// Why a figure differs, or why there is none, by row of published_sheet.
[[nodiscard]] std::string reason(const space::Beside& beside);

}  // namespace orrery::present
