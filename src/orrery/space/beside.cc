// SPDX-License-Identifier: Apache-2.0
#include "orrery/space/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace orrery::space {

namespace {

/// The run at the same choices but for others there.
std::optional<std::size_t> run_over(const CaseStudy& study, const Run& run, const Other& over) {
  std::vector<std::string> at = run.at;
  for (const Other::Axis& axis : over.axes)
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
            std::span<const Answered> answers) {
  const Metric metric = *metric_named(column.metric);
  const double value = answers[run].values[metric];
  if (column.over.axes.empty()) return value;
  const auto other = run_over(study, study.runs[run], column.over);
  return other && value != 0 ? answers[*other].values[metric] / value : kNone;
}

/// A run and its figure.
struct Told {
  std::size_t run = 0;
  double value = kNone;
};

/// What a published figure is about.
std::vector<Told> told_of(const CaseStudy& study, const Published& figure, const CaseTable& table) {
  std::vector<Told> told;
  if (study.of_best(figure)) {
    for (const BestRow& row : table.best)
      if (row.run) told.push_back({*row.run, row.ratio});
  } else {
    const std::size_t column = study.column(figure.column);
    for (std::size_t i = 0; i < study.runs.size(); ++i) told.push_back({i, table.cells[i][column]});
  }
  std::erase_if(told, [&](const Told& one) {
    return !is_at(study.space, study.runs[one.run].at, figure.runs) || !std::isfinite(one.value);
  });
  return told;
}

Beside beside(const CaseStudy& study, const Published& figure, const CaseTable& table) {
  Beside made{&figure};
  if (figure.column.empty()) return made;
  if (!study.of_best(figure))
    made.unit = study.file.columns[study.column(figure.column)].value_unit();
  if (const auto read = parse(figure.value, made.unit, "")) made.published = *read;
  double sum = 0;
  std::size_t count = 0;
  for (const Told& one : told_of(study, figure, table)) {
    sum += one.value;
    ++count;
    const bool better = std::isnan(made.ours) ||
                        (figure.of == Of::least ? one.value < made.ours : one.value > made.ours);
    if (!better) continue;
    made.ours = one.value;
    made.run = words(study.space, study.runs[one.run]);
  }
  if (figure.of == Of::mean && count > 0) {
    made.ours = sum / static_cast<double>(count);
    made.run = fmt::format("mean of {} runs", count);
  }
  return made;
}

}  // namespace

CaseTable fill_in(const CaseStudy& study, std::span<const Answered> answers) {
  CaseTable table;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    std::vector<double> row;
    for (const Column& column : study.file.columns) row.push_back(cell(study, column, i, answers));
    table.cells.push_back(std::move(row));
  }
  table.best = best_rows(study, table.cells, answers);
  for (const Published& figure : study.file.published)
    table.beside.push_back(beside(study, figure, table));
  return table;
}

}  // namespace orrery::space
