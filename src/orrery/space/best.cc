// SPDX-License-Identifier: Apache-2.0
#include "orrery/space/best.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::space {

namespace {

/// The run's choices in all axes but one.
std::vector<std::string> others(const CaseStudy& study, const Run& run, const std::string& axis) {
  std::vector<std::string> at;
  for (std::size_t a = 0; a < run.at.size(); ++a)
    if (study.space.axes[a].name != axis) at.push_back(run.at[a]);
  return at;
}

bool fits(const Values& values, double memory) {
  const double has = std::isnan(memory) ? values[Metric::capacity] : memory;
  return !(values[Metric::needed] > has);  // what is not known fits
}

}  // namespace

std::vector<BestRow> best_rows(const CaseStudy& study, std::span<const std::vector<double>> cells,
                               std::span<const Answered> answers) {
  const Best& asked = study.file.best;
  std::vector<BestRow> rows;
  if (asked.axis.empty()) return rows;
  const std::size_t column = study.column(asked.column);
  std::vector<std::vector<std::string>> places;
  for (const Run& run : study.runs) {
    auto at = others(study, run, asked.axis);
    if (std::find(places.begin(), places.end(), at) == places.end())
      places.push_back(std::move(at));
  }
  const std::vector<std::string> memories =
      asked.memory.empty() ? std::vector<std::string>{""} : asked.memory;
  for (const auto& at : places)
    for (const std::string& memory : memories) {
      BestRow row{memory, at, std::nullopt, kNone};
      const double has = memory.empty() ? kNone : parse(memory, Unit::bytes, "").value_or(kNone);
      for (std::size_t i = 0; i < study.runs.size(); ++i) {
        const double value = cells[i][column];
        if (!std::isfinite(value) || !fits(answers[i].values, has)) continue;
        if (others(study, study.runs[i], asked.axis) != at) continue;
        if (!row.run || value < cells[*row.run][column]) row.run = i;
      }
      rows.push_back(std::move(row));
    }
  for (BestRow& row : rows)
    if (row.run && rows.front().run)
      row.ratio = cells[*rows.front().run][column] / cells[*row.run][column];
  return rows;
}

}  // namespace orrery::space
