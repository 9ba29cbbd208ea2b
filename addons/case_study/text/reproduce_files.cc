// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/text/reproduce_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/csv.h"
#include "orrery/report/charts/value_bars.h"

namespace orrery::present {

namespace {

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

template <class Range, class Row>
std::string markdown_table(const Range& rows, const report::Columns<Row>& columns) {
  if (rows.empty()) return "";
  std::string head = "|", rule = "|", body;
  for (const report::Column<Row>& column : columns.list()) {
    if (!column.shown) continue;
    head += " " + markdown_cell(column.title) + " |";
    rule += column.align == report::Align::right ? "---:|" : "---|";
  }
  for (const Row& row : rows) {
    body += "|";
    for (const report::Column<Row>& column : columns.list())
      if (column.shown) body += " " + markdown_cell(column.cell(row)) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body + "\n";
}

/// Metrics of simulated runs, and those that at least one run has.
std::vector<case_study::RunMetric> metrics_of_runs(const Reproduction& reproduction) {
  std::vector<case_study::RunMetric> found;
  for (const case_study::RunMetricInfo& one : case_study::metrics()) {
    const auto has = [&](const auto& run) { return std::isfinite(run.values[one.metric]); };
    if (one.metric < case_study::RunMetric::bandwidth_0 ||
        std::any_of(reproduction.answers.runs.begin(), reproduction.answers.runs.end(), has))
      found.push_back(one.metric);
  }
  return found;
}

/// The choices of a run on all axes but that of the colors.
std::string group_of(const Reproduction& reproduction, const case_study::GridRun& run,
                     const std::string& without) {
  std::string text;
  for (std::size_t a = 0; a < run.at.size(); ++a)
    if (reproduction.study.space.axes[a].name != without)
      text += (text.empty() ? "" : ", ") + run.at[a];
  return text;
}

/// Values and axis in one unit: the columns', else the first that keeps the largest above 1.
struct AxisScale {
  std::string unit;
  double by = 1;
};
AxisScale scale_for(const Reproduction& reproduction, const std::vector<std::size_t>& columns) {
  const case_study::Column& first = reproduction.study.file.columns[columns.front()];
  const case_study::Unit unit = first.value_unit();
  if (const auto of = case_study::scale_of(unit, first.unit)) return {first.unit, *of};
  if (unit == case_study::Unit::share) return {"%", 0.01};
  double most = 0;
  for (const auto& row : reproduction.table.cells)
    for (const std::size_t c : columns)
      if (std::isfinite(row[c])) most = std::max(most, row[c]);
  for (const char* word : {"s", "ms", "us", "ns", "GB/s", "GB", "MB", "TFLOP/s"})
    if (const auto of = case_study::scale_of(unit, word); of && most >= *of) return {word, *of};
  return {};
}

}  // namespace

std::string reproduce_csv(const Reproduction& reproduction) {
  const case_study::CaseStudyFile& file = reproduction.study.file;
  std::string text;
  for (const case_study::GridAxis& axis : file.axes) text += csv_cell(axis.name) + ",";
  const auto metrics = metrics_of_runs(reproduction);
  for (const case_study::RunMetric metric : metrics)
    text += fmt::format("{},", case_study::info(metric).name);
  for (std::size_t c = 0; c < file.columns.size(); ++c)
    text +=
        csv_cell("column: " + file.columns[c].title) + (c + 1 < file.columns.size() ? "," : "\n");
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (std::size_t i = 0; i < reproduction.study.runs.size(); ++i) {
    for (const std::string& choice : reproduction.study.runs[i].at) text += csv_cell(choice) + ",";
    for (const case_study::RunMetric metric : metrics)
      text += number(reproduction.answers.runs[i].values[metric]) + ",";
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      text += number(reproduction.table.cells[i][c]) + (c + 1 < file.columns.size() ? "," : "\n");
  }
  return text;
}

std::string reproduce_markdown(const Reproduction& reproduction) {
  std::string text = fmt::format("# {}\n\n", markdown_cell(reproduction.study.file.title));
  text += markdown_table(reproduction.study.file.inputs, input_columns()) +
          markdown_table(reproduced_runs(reproduction), run_columns(reproduction)) +
          markdown_table(reproduction.table.best, best_columns(reproduction)) +
          markdown_table(reproduction.table.comparisons, published_columns(reproduction));
  for (const case_study::PublishedComparison& one : reproduction.table.comparisons)
    if (const std::string why = reason(one); !why.empty())
      text += fmt::format("- {} {}: {}\n", markdown_cell(one.figure->what),
                          markdown_cell(one.figure->value), markdown_cell(why));
  text += "\n";
  for (const std::string& line : source_mark_lines(reproduction))
    text += fmt::format("- {}\n", line);
  return text;
}

std::string reproduce_svg(const Reproduction& reproduction) {
  const case_study::BarChart& picture = reproduction.study.file.picture;
  if (picture.columns.empty()) return "";
  std::vector<std::size_t> columns;
  for (const std::string& title : picture.columns)
    columns.push_back(reproduction.study.column(title));
  const AxisScale scale = scale_for(reproduction, columns);
  report::ValueBars bars{picture.title, reproduction.study.file.source, scale.unit, {}, {}};
  std::size_t axis = reproduction.study.space.axes.size();
  for (std::size_t a = 0; a < reproduction.study.space.axes.size(); ++a)
    if (reproduction.study.space.axes[a].name == picture.colors) axis = a;
  const bool by_axis = axis < reproduction.study.space.axes.size();
  if (by_axis)
    for (const case_study::AxisChoice& choice : reproduction.study.space.axes[axis].choices)
      bars.legend.push_back(choice.name);
  else
    bars.legend = picture.columns;
  for (std::size_t i = 0; i < reproduction.study.runs.size(); ++i) {
    const case_study::GridRun& run = reproduction.study.runs[i];
    if (!case_study::is_at(reproduction.study.space, run.at, picture.runs)) continue;
    const std::string group = by_axis ? group_of(reproduction, run, picture.colors) : "";
    report::ValueBar bar{by_axis ? run.at[axis] : group_of(reproduction, run, ""), {}, "", 0};
    double sum = 0;
    for (const std::size_t c : columns) {
      bar.parts.push_back(reproduction.table.cells[i][c] / scale.by);
      sum += reproduction.table.cells[i][c];
    }
    if (!std::isfinite(sum)) continue;
    const case_study::Column& first = reproduction.study.file.columns[columns.front()];
    bar.text = case_study::format(sum, first.value_unit(), first.unit, first.decimals);
    if (by_axis) {
      const auto& choices = bars.legend;
      bar.color = static_cast<std::uint32_t>(
          std::find(choices.begin(), choices.end(), run.at[axis]) - choices.begin());
    }
    if (bars.groups.empty() || bars.groups.back().name != group) bars.groups.push_back({group, {}});
    bars.groups.back().bars.push_back(std::move(bar));
  }
  return report::value_bars_svg(bars);
}

}  // namespace orrery::present
