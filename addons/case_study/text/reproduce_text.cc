// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/text/reproduce_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "addons/case_study/text/reproduce_tables.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/value_bars.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using case_study::PublishedComparison;
using report::JsonWriter;
using report::Sheet;
using report::Style;
using report::Table;

namespace {

std::string table_of(const StudyTable& sheet, Style style) {
  Table table(sheet.columns);
  for (const auto& row : sheet.rows) table.row(row);
  return table.empty() ? "" : table.text(style) + "\n";
}

/// What was odd, each once, with how many runs say so.
std::vector<std::string> finding_lines(const Reproduction& reproduction) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const case_study::RunResult& one : reproduction.answers.runs)
    for (const std::string& text : one.values.findings) {
      const std::string name = text.substr(0, text.find(" ("));
      const auto known = std::find_if(counted.begin(), counted.end(),
                                      [&](const auto& each) { return each.first == name; });
      if (known == counted.end())
        counted.emplace_back(name, 1);
      else
        ++known->second;
    }
  std::vector<std::string> lines;
  for (const auto& [text, runs] : counted)
    lines.push_back(fmt::format("{} ({})", printable(text), plural(runs, "run")));
  return lines;
}

std::string reasons_text(const Reproduction& reproduction, Style style) {
  Sheet sheet(style, 4);
  for (const PublishedComparison& one : reproduction.table.comparisons) {
    const std::string why = reason(one);
    if (why.empty() && !one.figure->assumed) continue;
    sheet.line(style.strong(printable(one.figure->what) + " " + printable(one.figure->value)));
    if (!why.empty()) sheet.add("", why);
    if (!one.run.empty() && one.figure->of != case_study::Aggregate::one)
      sheet.add("", "ours: " + printable(one.run));
  }
  return sheet.text().empty() ? "" : sheet.text() + "\n";
}

}  // namespace

std::size_t Reproduction::failed() const {
  return static_cast<std::size_t>(std::count_if(answers.runs.begin(), answers.runs.end(),
                                                [](const auto& one) { return one.error; }));
}

std::string reproduce_text(const Reproduction& reproduction, Style style) {
  const case_study::CaseStudyFile& file = reproduction.study.file;
  Sheet head(style, 14);
  head.line(style.strong(printable(file.title)));
  if (!file.about.empty()) head.add("about", printable(file.about));
  if (!file.source.empty()) head.add("source", printable(file.source));
  for (const case_study::StudyInput& one : file.inputs)
    head.add("made of", fmt::format("{}: {} [{}]", printable(one.what), printable(one.value),
                                    case_study::letter(one.mark)));
  if (reproduction.answers.out_of_date > 0)
    head.add("stored", out_of_date_text(reproduction.answers.out_of_date, "run"));
  std::string text = head.text() + "\n" + table_of(runs_table(reproduction), style) +
                     table_of(best_table(reproduction), style) +
                     table_of(published_table(reproduction), style) +
                     reasons_text(reproduction, style);
  Sheet tail(style, 14);
  for (const std::string& line : source_mark_lines(reproduction)) tail.add("known", line);
  for (const std::string& line : finding_lines(reproduction)) tail.add("finding", line);
  for (const case_study::RunResult& one : reproduction.answers.runs)
    if (one.error) tail.add("failed", printable(to_string(*one.error)));
  if (tail.text().empty()) text.pop_back();  // an empty line before nothing
  return text + tail.text();
}

std::string case_studies_text(Style style) {
  Table table({{"case study"}, {"what"}});
  for (const case_study::BuiltIn& one : case_study::builtin_studies()) {
    const auto study = case_study::parse_case_study(one.text, std::string(one.name));
    table.row({std::string(one.name), study ? study->file.title : study.error().what});
  }
  return table.text(style);
}

// A case study for programs, pages and sheets.

using case_study::PublishedComparison;
using report::JsonWriter;

namespace {

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const StudyTable& sheet) {
  if (sheet.rows.empty()) return "";
  std::string head = "|", rule = "|";
  for (const auto& column : sheet.columns) {
    head += " " + markdown_cell(column.title) + " |";
    rule += column.right ? "---:|" : "---|";
  }
  std::string text = head + "\n" + rule + "\n";
  for (const auto& row : sheet.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + markdown_cell(cell) + " |";
    text += "\n";
  }
  return text + "\n";
}

void write_runs(JsonWriter& json, const Reproduction& reproduction) {
  const case_study::CaseStudyFile& file = reproduction.study.file;
  json.key("per_run").begin_array();
  for (std::size_t i = 0; i < reproduction.study.runs.size(); ++i) {
    const case_study::RunResult& one = reproduction.answers.runs[i];
    json.begin_object().key("at").begin_object();
    for (std::size_t a = 0; a < file.axes.size(); ++a)
      json.field(file.axes[a].name, reproduction.study.runs[i].at[a]);
    json.end_object().key("metric_values").begin_object();
    for (const case_study::RunMetricInfo& metric : case_study::metrics())
      json.field(metric.json_name,
                 one.values[metric.metric] * (metric.unit == case_study::Unit::time ? 1e-3 : 1));
    json.end_object().key("table_cells").begin_object();
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      json.field(file.columns[c].title, reproduction.table.cells[i][c]);
    json.end_object().key("finding_texts").begin_array();
    for (const std::string& text : one.values.findings) json.value(text);
    json.end_array().key("error_text");
    if (one.error)
      json.value(to_string(*one.error));
    else
      json.null();
    json.end_object();
  }
  json.end_array();
}

void write_best(JsonWriter& json, const Reproduction& reproduction) {
  json.key("best").begin_array();
  for (const case_study::BestChoice& row : reproduction.table.best) {
    json.begin_object().field("memory_option", row.memory).key("at").begin_object();
    std::size_t other = 0;
    for (const case_study::GridAxis& axis : reproduction.study.file.axes)
      if (axis.name != reproduction.study.file.best.axis) json.field(axis.name, row.at[other++]);
    json.end_object().key("run_index");
    if (row.run)
      json.value(*row.run);
    else
      json.null();
    json.field("best_ratio", row.ratio).end_object();
  }
  json.end_array();
}

void write_published(JsonWriter& json, const Reproduction& reproduction) {
  json.key("comparisons").begin_array();
  for (const PublishedComparison& one : reproduction.table.comparisons) {
    const case_study::PublishedFigure& figure = *one.figure;
    json.begin_object().field("what", figure.what).field("published_text", figure.value);
    json.field("mark", case_study::letter(figure.mark)).field("source", figure.source);
    json.field("published_value", one.published).field("predicted_value", one.ours);
    json.field("difference_ratio", one.difference()).field("is_assumption", figure.assumed);
    json.field("run_label", one.run).field("reason", reason(one)).end_object();
  }
  json.end_array();
}

/// Those of simulated runs, and those that some run has.
std::vector<case_study::RunMetric> told_metrics(const Reproduction& reproduction) {
  std::vector<case_study::RunMetric> found;
  for (const case_study::RunMetricInfo& one : case_study::metrics()) {
    const auto has = [&](const auto& run) { return std::isfinite(run.values[one.metric]); };
    if (one.metric < case_study::RunMetric::bandwidth_0 ||
        std::any_of(reproduction.answers.runs.begin(), reproduction.answers.runs.end(), has))
      found.push_back(one.metric);
  }
  return found;
}

/// What is not the colours' axis, in words.
std::string group_of(const Reproduction& reproduction, const case_study::GridRun& run,
                     const std::string& without) {
  std::string text;
  for (std::size_t a = 0; a < run.at.size(); ++a)
    if (reproduction.study.space.axes[a].name != without)
      text += (text.empty() ? "" : ", ") + run.at[a];
  return text;
}

/// Values and axis in one unit: the columns', else the first that keeps the largest above 1.
struct Scaled {
  std::string unit;
  double by = 1;
};
Scaled scale_for(const Reproduction& reproduction, const std::vector<std::size_t>& columns) {
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

std::string reproduce_json(const Reproduction& reproduction) {
  const case_study::CaseStudyFile& file = reproduction.study.file;
  return report::envelope("reproduce", {}, [&](JsonWriter& json) {
    json.begin_object().field("name", reproduction.study.name).field("title", file.title);
    json.field("about", file.about).field("source", file.source);
    json.field("out_of_date", static_cast<std::int64_t>(reproduction.answers.out_of_date));
    json.key("assumptions").begin_array();
    for (const case_study::StudyInput& one : file.inputs) {
      json.begin_object().field("what", one.what).field("text", one.value);
      json.field("mark", case_study::letter(one.mark)).field("source", one.source).end_object();
    }
    json.end_array();
    write_runs(json, reproduction);
    write_best(json, reproduction);
    write_published(json, reproduction);
    json.end_object();
  });
}

std::string reproduce_csv(const Reproduction& reproduction) {
  const case_study::CaseStudyFile& file = reproduction.study.file;
  std::string text;
  for (const case_study::GridAxis& axis : file.axes) text += csv_cell(axis.name) + ",";
  const auto metrics = told_metrics(reproduction);
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
  text += markdown_table(inputs_table(reproduction)) + markdown_table(runs_table(reproduction)) +
          markdown_table(best_table(reproduction)) + markdown_table(published_table(reproduction));
  for (const PublishedComparison& one : reproduction.table.comparisons)
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
  const Scaled scale = scale_for(reproduction, columns);
  report::ValueBars bars{picture.title, reproduction.study.file.source, scale.unit, {}, {}};
  std::size_t axis = reproduction.study.space.axes.size();
  for (std::size_t a = 0; a < reproduction.study.space.axes.size(); ++a)
    if (reproduction.study.space.axes[a].name == picture.colours) axis = a;
  const bool by_axis = axis < reproduction.study.space.axes.size();
  if (by_axis)
    for (const case_study::AxisChoice& choice : reproduction.study.space.axes[axis].choices)
      bars.legend.push_back(choice.name);
  else
    bars.legend = picture.columns;
  for (std::size_t i = 0; i < reproduction.study.runs.size(); ++i) {
    const case_study::GridRun& run = reproduction.study.runs[i];
    if (!case_study::is_at(reproduction.study.space, run.at, picture.runs)) continue;
    const std::string group = by_axis ? group_of(reproduction, run, picture.colours) : "";
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
      bar.colour = static_cast<std::uint32_t>(
          std::find(choices.begin(), choices.end(), run.at[axis]) - choices.begin());
    }
    if (bars.groups.empty() || bars.groups.back().name != group) bars.groups.push_back({group, {}});
    bars.groups.back().bars.push_back(std::move(bar));
  }
  return report::value_bars_svg(bars);
}

std::string case_studies_json() {
  return report::envelope("reproduce", {}, [&](JsonWriter& json) {
    json.begin_object().key("studies").begin_array();
    for (const case_study::BuiltIn& one : case_study::builtin_studies()) {
      const auto study = case_study::parse_case_study(one.text, std::string(one.name));
      json.begin_object().field("name", one.name);
      json.field("title", study ? study->file.title : study.error().what);
      json.field("run_count", study ? study->runs.size() : 0).end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
