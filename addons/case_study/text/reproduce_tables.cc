// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/text/reproduce_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "orrery/core/text/text.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

using case_study::BestChoice;
using case_study::CaseStudyFile;
using case_study::PublishedComparison;
using report::Align;

std::size_t Reproduction::failed() const {
  return static_cast<std::size_t>(std::count_if(answers.runs.begin(), answers.runs.end(),
                                                [](const auto& one) { return one.error; }));
}

std::vector<ReproducedRun> reproduced_runs(const Reproduction& reproduction) {
  std::vector<ReproducedRun> runs;
  for (std::size_t i = 0; i < reproduction.study.runs.size(); ++i)
    runs.push_back(
        {reproduction.study.runs[i], reproduction.answers.runs[i], reproduction.table.cells[i]});
  return runs;
}

namespace {

std::string cell_text(const case_study::Column& column, double value) {
  return case_study::format(value, column.value_unit(), column.unit, column.decimals);
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& list, std::string Named::*name) {
  std::vector<std::string> names;
  for (const Named& one : list) names.push_back(one.*name);
  return names;
}

/// An object with one value for each name.
template <class Values>
void write_object(report::JsonWriter& json, const std::vector<std::string>& names,
                  const Values& values) {
  json.begin_object();
  for (std::size_t i = 0; i < names.size(); ++i) json.field(names[i], values[i]);
  json.end_object();
}

void write_metrics(report::JsonWriter& json, const case_study::MetricValues& values) {
  json.begin_object();
  for (const case_study::RunMetricInfo& metric : case_study::metrics())
    json.field(metric.json_name,
               values[metric.metric] * (metric.unit == case_study::Unit::time ? 1e-3 : 1));
  json.end_object();
}

}  // namespace

report::Columns<ReproducedRun> run_columns(const Reproduction& reproduction) {
  const CaseStudyFile& file = reproduction.study.file;
  const auto axes = names_of(file.axes, &case_study::GridAxis::name);
  const auto titles = names_of(file.columns, &case_study::Column::title);
  report::Columns<ReproducedRun> columns;
  for (std::size_t a = 0; a < axes.size(); ++a)
    columns.show(printable(axes[a]), [a](auto& one) { return printable(one.run.at[a]); });
  for (std::size_t c = 0; c < titles.size(); ++c)
    columns.show_number(printable(titles[c]),
                        [&, c](auto& one) { return cell_text(file.columns[c], one.cells[c]); });
  columns.nested("at", [axes](auto& json, auto& one) { write_object(json, axes, one.run.at); })
      .nested("metric_values",
              [](auto& json, auto& one) { write_metrics(json, one.result.values); })
      .nested("table_cells",
              [titles](auto& json, auto& one) { write_object(json, titles, one.cells); })
      .members([](auto& json, auto& one) {
        report::Answer(json)
            .list("finding_texts", one.result.values.findings)
            .field("error_text", one.result.error ? report::Value(to_string(*one.result.error))
                                                  : report::Value());
      });
  return columns;
}

report::Columns<BestChoice> best_columns(const Reproduction& reproduction) {
  report::Columns<BestChoice> columns;
  if (reproduction.table.best.empty()) return columns;
  const CaseStudyFile& file = reproduction.study.file;
  const auto& runs = reproduction.study.runs;
  auto others = names_of(file.axes, &case_study::GridAxis::name);
  const auto best_axis = std::find(others.begin(), others.end(), file.best.axis) - others.begin();
  others.erase(others.begin() + best_axis);
  for (std::size_t a = 0; a < others.size(); ++a)
    columns.show(printable(others[a]), [a](auto& best) { return printable(best.at[a]); });
  columns.nested("at", [others](auto& json, auto& best) { write_object(json, others, best.at); })
      .field("memory_option", [](auto& best) { return best.memory; })
      .field("run_index", [](auto& best) { return best.run; })
      .field("best_ratio", [](auto& best) { return best.ratio; });
  if (!file.best.memory.empty())
    columns.add("memory", "", [](auto& best) { return best.memory; }).align(Align::right);
  columns.show("best " + printable(file.best.axis), [&runs, best_axis](auto& best) {
    return best.run ? printable(runs[*best.run].at[best_axis]) : "none fits";
  });
  for (std::size_t c = 0; c < file.columns.size(); ++c)
    columns.show_number(printable(file.columns[c].title), [&, c](auto& best) {
      return best.run ? cell_text(file.columns[c], reproduction.table.cells[*best.run][c]) : "-";
    });
  if (!file.best.ratio.empty())
    columns.show_number(printable(file.best.ratio), [](auto& best) {
      return case_study::format(best.ratio, case_study::Unit::ratio, "", 2);
    });
  return columns;
}

namespace {

std::string simulated_text(const Reproduction& reproduction, const PublishedComparison& one) {
  if (std::isnan(one.predicted)) return "-";
  case_study::Column column;
  column.decimals = 2;  // of the best
  if (!reproduction.study.of_best(*one.figure))
    column = reproduction.study.file.columns[reproduction.study.column(one.figure->column)];
  std::string unit = column.unit;
  std::int64_t decimals = column.decimals;
  // In the unit of the published figure, with at least as many decimals.
  const std::string& value = one.figure->value;
  if (const std::size_t space = value.rfind(' '); space != std::string::npos) {
    const std::string word = value.substr(space + 1);
    if (case_study::scale_of(one.unit, word)) unit = word;
  }
  if (const std::size_t point = value.find('.'); point != std::string::npos) {
    const std::size_t end = value.find_first_not_of("0123456789", point + 1);
    decimals =
        std::max(decimals, static_cast<std::int64_t>(std::min(end, value.size()) - point - 1));
  }
  return case_study::format(one.predicted, one.unit, unit, std::min<std::int64_t>(decimals, 9));
}

std::string difference_text(double difference) {
  if (!std::isfinite(difference)) return "-";
  if (std::abs(difference) < 5e-6) return "0.000 %";
  return fmt::format("{:+.{}f} %", 100 * difference, std::abs(difference) < 0.00995 ? 3 : 1);
}

}  // namespace

report::Columns<PublishedComparison> published_columns(const Reproduction& reproduction) {
  report::Columns<PublishedComparison> columns;
  columns.add("figure", "what", [](auto& one) { return one.figure->what; })
      .add("published", "published_text", [](auto& one) { return one.figure->value; })
      .align(Align::right)
      .add("evidence", "mark", [](auto& one) { return case_study::letter(one.figure->mark); })
      .field("source", [](auto& one) { return one.figure->source; })
      .field("published_value", [](auto& one) { return one.published; })
      .add(
          "simulated", "predicted_value", [](auto& one) { return one.predicted; },
          [&](auto& one) { return simulated_text(reproduction, one); })
      .align(Align::right)
      .add(
          "difference", "difference_ratio", [](auto& one) { return one.difference(); },
          [](auto& one) { return difference_text(one.difference()); })
      .align(Align::right)
      .show("run",
            [](auto& one) {
              if (one.figure->column.empty()) return "not reproducible";
              return one.figure->assumed ? "assumed" : "";
            })
      .field("is_assumption", [](auto& one) { return one.figure->assumed; })
      .field("run_label", [](auto& one) { return one.run; })
      .field("reason", reason);
  return columns;
}

report::Columns<case_study::StudyInput> input_columns() {
  report::Columns<case_study::StudyInput> columns;
  columns.add("input", "what", [](auto& input) { return input.what; })
      .add("value", "text", [](auto& input) { return input.value; })
      .add("evidence", "mark", [](auto& input) { return case_study::letter(input.mark); })
      .field("source", [](auto& input) { return input.source; });
  return columns;
}

std::vector<std::string> source_mark_lines(const Reproduction& reproduction) {
  std::set<case_study::Evidence> marks;
  for (const case_study::StudyInput& one : reproduction.study.file.inputs) marks.insert(one.mark);
  for (const case_study::PublishedFigure& one : reproduction.study.file.published)
    marks.insert(one.mark);
  std::vector<std::string> lines;
  for (const case_study::Evidence mark : marks)
    lines.push_back(fmt::format("{}: {}", case_study::letter(mark), case_study::about(mark)));
  return lines;
}

std::string reason(const PublishedComparison& comparison) {
  return printable(comparison.figure->column.empty() ? comparison.figure->why_not
                                                     : comparison.figure->cause);
}

}  // namespace orrery::present
