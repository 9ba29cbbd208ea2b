// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/best_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::case_study {

namespace {

/// The run's choices on all axes except one.
std::vector<std::string> others(const CaseStudy& study, const GridRun& run,
                                const std::string& axis) {
  std::vector<std::string> at;
  for (std::size_t a = 0; a < run.at.size(); ++a)
    if (study.space.axes[a].name != axis) at.push_back(run.at[a]);
  return at;
}

bool fits(const MetricValues& values, double memory) {
  const double has = std::isnan(memory) ? values[RunMetric::capacity] : memory;
  return !(values[RunMetric::needed] > has);  // an unknown requirement counts as fitting
}

}  // namespace

std::vector<BestChoice> best_rows(const CaseStudy& study,
                                  std::span<const std::vector<double>> cells,
                                  std::span<const RunResult> answers) {
  const BestAlong& asked = study.file.best;
  std::vector<BestChoice> rows;
  if (asked.axis.empty()) return rows;
  const std::size_t column = study.column(asked.column);
  std::vector<std::vector<std::string>> places;
  for (const GridRun& run : study.runs) {
    auto at = others(study, run, asked.axis);
    if (std::find(places.begin(), places.end(), at) == places.end())
      places.push_back(std::move(at));
  }
  const std::vector<std::string> memories =
      asked.memory.empty() ? std::vector<std::string>{""} : asked.memory;
  for (const auto& at : places)
    for (const std::string& memory : memories) {
      BestChoice row{memory, at, std::nullopt, kNone};
      const double has = memory.empty() ? kNone : parse(memory, Unit::bytes, "").value_or(kNone);
      for (std::size_t i = 0; i < study.runs.size(); ++i) {
        const double value = cells[i][column];
        if (!std::isfinite(value) || !fits(answers[i].values, has)) continue;
        if (others(study, study.runs[i], asked.axis) != at) continue;
        if (!row.run || value < cells[*row.run][column]) row.run = i;
      }
      rows.push_back(std::move(row));
    }
  for (BestChoice& row : rows)
    if (row.run && rows.front().run)
      row.ratio = cells[*rows.front().run][column] / cells[*row.run][column];
  return rows;
}

}  // namespace orrery::case_study
