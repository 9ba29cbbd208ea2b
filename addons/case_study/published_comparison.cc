// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/published_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace orrery::case_study {

namespace {

/// The run with the same choices except those in the reference.
std::optional<std::size_t> run_over(const CaseStudy& study, const GridRun& run,
                                    const ReferenceRun& over) {
  std::vector<std::string> at = run.at;
  for (const ReferenceRun::Axis& axis : over.axes)
    for (std::size_t a = 0; a < at.size(); ++a) {
      if (study.space.axes[a].name != axis.name) continue;
      const auto found = std::find_if(
          axis.choices.begin(), axis.choices.end(),
          [&](const auto& choice) { return choice.first.empty() || choice.first == run.at[a]; });
      if (found == axis.choices.end()) return std::nullopt;
      at[a] = found->second;
    }
  for (std::size_t i = 0; i < study.runs.size(); ++i)
    if (study.runs[i].at == at) return i;
  return std::nullopt;
}

double cell(const CaseStudy& study, const Column& column, std::size_t run,
            std::span<const RunResult> answers) {
  const RunMetric metric = *metric_named(column.metric);
  const double value = answers[run].values[metric];
  if (column.over.axes.empty()) return value;
  const auto other = run_over(study, study.runs[run], column.over);
  return other && value != 0 ? answers[*other].values[metric] / value : kNone;
}

/// A run and its value.
struct RunFigure {
  std::size_t run = 0;
  double value = kNone;
};

/// The values of the runs that a published value describes.
std::vector<RunFigure> figures_of_runs(const CaseStudy& study, const PublishedFigure& figure,
                                       const CaseTable& table) {
  std::vector<RunFigure> figures;
  if (study.of_best(figure)) {
    for (const BestChoice& row : table.best)
      if (row.run) figures.push_back({*row.run, row.ratio});
  } else {
    const std::size_t column = study.column(figure.column);
    for (std::size_t i = 0; i < study.runs.size(); ++i)
      figures.push_back({i, table.cells[i][column]});
  }
  std::erase_if(figures, [&](const RunFigure& one) {
    return !is_at(study.space, study.runs[one.run].at, figure.runs) || !std::isfinite(one.value);
  });
  return figures;
}

PublishedComparison comparisons(const CaseStudy& study, const PublishedFigure& figure,
                                const CaseTable& table) {
  PublishedComparison made{&figure};
  if (figure.column.empty()) return made;
  if (!study.of_best(figure))
    made.unit = study.file.columns[study.column(figure.column)].value_unit();
  if (const auto read = parse(figure.value, made.unit, "")) made.published = *read;
  double sum = 0;
  std::size_t count = 0;
  for (const RunFigure& one : figures_of_runs(study, figure, table)) {
    sum += one.value;
    ++count;
    const bool better =
        std::isnan(made.predicted) ||
        (figure.of == Aggregate::minimum ? one.value < made.predicted : one.value > made.predicted);
    if (!better) continue;
    made.predicted = one.value;
    made.run = words(study.space, study.runs[one.run]);
  }
  if (figure.of == Aggregate::mean && count > 0) {
    made.predicted = sum / static_cast<double>(count);
    made.run = fmt::format("mean of {} runs", count);
  }
  return made;
}

}  // namespace

CaseTable fill_case_table(const CaseStudy& study, std::span<const RunResult> answers) {
  CaseTable table;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    std::vector<double> row;
    for (const Column& column : study.file.columns) row.push_back(cell(study, column, i, answers));
    table.cells.push_back(std::move(row));
  }
  table.best = best_rows(study, table.cells, answers);
  for (const PublishedFigure& figure : study.file.published)
    table.comparisons.push_back(comparisons(study, figure, table));
  return table;
}

}  // namespace orrery::case_study
