// SPDX-License-Identifier: Apache-2.0
//
// A case study for programs, pages and sheets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text.h"
#include "orrery/present/case_study_table.h"
#include "orrery/report/envelope.h"
#include "orrery/report/value_bars.h"

namespace orrery::present {

using report::JsonWriter;
using space::Beside;

namespace {

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const Sheetful& sheet) {
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

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

void write_runs(JsonWriter& json, const ToldStudy& told) {
  const space::CaseStudyFile& file = told.study.file;
  json.key("per_run").begin_array();
  for (std::size_t i = 0; i < told.study.runs.size(); ++i) {
    const space::Answered& one = told.answers.runs[i];
    json.begin_object().key("at").begin_object();
    for (std::size_t a = 0; a < file.axes.size(); ++a)
      json.field(file.axes[a].name, told.study.runs[i].at[a]);
    json.end_object().key("metric_values").begin_object();
    for (const space::MetricInfo& metric : space::metrics())
      json.field(metric.json_name,
                 one.values[metric.metric] * (metric.unit == space::Unit::time ? 1e-3 : 1));
    json.end_object().key("table_cells").begin_object();
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      json.field(file.columns[c].title, told.table.cells[i][c]);
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

void write_best(JsonWriter& json, const ToldStudy& told) {
  json.key("best").begin_array();
  for (const space::BestRow& row : told.table.best) {
    json.begin_object().field("memory_option", row.memory).key("at").begin_object();
    std::size_t other = 0;
    for (const space::Axis& axis : told.study.file.axes)
      if (axis.name != told.study.file.best.axis) json.field(axis.name, row.at[other++]);
    json.end_object().key("run_index");
    if (row.run)
      json.value(*row.run);
    else
      json.null();
    json.field("best_ratio", row.ratio).end_object();
  }
  json.end_array();
}

void write_published(JsonWriter& json, const ToldStudy& told) {
  json.key("comparisons").begin_array();
  for (const Beside& one : told.table.beside) {
    const space::Published& figure = *one.figure;
    json.begin_object().field("what", figure.what).field("published_text", figure.value);
    json.field("mark", space::letter(figure.mark)).field("source", figure.source);
    json.field("published_value", one.published).field("predicted_value", one.ours);
    json.field("difference_ratio", one.difference()).field("is_assumption", figure.assumed);
    json.field("run_label", one.run).field("reason", reason(one)).end_object();
  }
  json.end_array();
}

/// Those of simulated runs, and those that some run has.
std::vector<space::Metric> told_metrics(const ToldStudy& told) {
  std::vector<space::Metric> found;
  for (const space::MetricInfo& one : space::metrics()) {
    const auto has = [&](const auto& run) { return std::isfinite(run.values[one.metric]); };
    if (one.metric < space::Metric::bandwidth_0 ||
        std::any_of(told.answers.runs.begin(), told.answers.runs.end(), has))
      found.push_back(one.metric);
  }
  return found;
}

/// What is not the colours' axis, in words.
std::string group_of(const ToldStudy& told, const space::Run& run, const std::string& without) {
  std::string text;
  for (std::size_t a = 0; a < run.at.size(); ++a)
    if (told.study.space.axes[a].name != without) text += (text.empty() ? "" : ", ") + run.at[a];
  return text;
}

/// Values and axis in one unit: the columns', else the first that keeps the largest above 1.
struct Scaled {
  std::string unit;
  double by = 1;
};
Scaled scale_for(const ToldStudy& told, const std::vector<std::size_t>& columns) {
  const space::Column& first = told.study.file.columns[columns.front()];
  const space::Unit unit = first.value_unit();
  if (const auto of = space::scale_of(unit, first.unit)) return {first.unit, *of};
  if (unit == space::Unit::share) return {"%", 0.01};
  double most = 0;
  for (const auto& row : told.table.cells)
    for (const std::size_t c : columns)
      if (std::isfinite(row[c])) most = std::max(most, row[c]);
  for (const char* word : {"s", "ms", "us", "ns", "GB/s", "GB", "MB", "TFLOP/s"})
    if (const auto of = space::scale_of(unit, word); of && most >= *of) return {word, *of};
  return {};
}

}  // namespace

std::string case_study_json(const ToldStudy& told) {
  const space::CaseStudyFile& file = told.study.file;
  return report::envelope("reproduce", {}, [&](JsonWriter& json) {
    json.begin_object().field("name", told.study.name).field("title", file.title);
    json.field("about", file.about).field("source", file.source);
    json.field("out_of_date", static_cast<std::int64_t>(told.answers.out_of_date));
    json.key("assumptions").begin_array();
    for (const space::Input& one : file.inputs) {
      json.begin_object().field("what", one.what).field("text", one.value);
      json.field("mark", space::letter(one.mark)).field("source", one.source).end_object();
    }
    json.end_array();
    write_runs(json, told);
    write_best(json, told);
    write_published(json, told);
    json.end_object();
  });
}

std::string case_study_csv(const ToldStudy& told) {
  const space::CaseStudyFile& file = told.study.file;
  std::string text;
  for (const space::Axis& axis : file.axes) text += csv_cell(axis.name) + ",";
  const auto metrics = told_metrics(told);
  for (const space::Metric metric : metrics) text += fmt::format("{},", space::info(metric).name);
  for (std::size_t c = 0; c < file.columns.size(); ++c)
    text +=
        csv_cell("column: " + file.columns[c].title) + (c + 1 < file.columns.size() ? "," : "\n");
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (std::size_t i = 0; i < told.study.runs.size(); ++i) {
    for (const std::string& choice : told.study.runs[i].at) text += csv_cell(choice) + ",";
    for (const space::Metric metric : metrics)
      text += number(told.answers.runs[i].values[metric]) + ",";
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      text += number(told.table.cells[i][c]) + (c + 1 < file.columns.size() ? "," : "\n");
  }
  return text;
}

std::string case_study_markdown(const ToldStudy& told) {
  std::string text = fmt::format("# {}\n\n", markdown_cell(told.study.file.title));
  text += markdown_table(inputs_sheet(told)) + markdown_table(runs_sheet(told)) +
          markdown_table(best_sheet(told)) + markdown_table(published_sheet(told));
  for (const Beside& one : told.table.beside)
    if (const std::string why = reason(one); !why.empty())
      text += fmt::format("- {} {}: {}\n", markdown_cell(one.figure->what),
                          markdown_cell(one.figure->value), markdown_cell(why));
  text += "\n";
  for (const std::string& line : mark_lines(told)) text += fmt::format("- {}\n", line);
  return text;
}

std::string case_study_svg(const ToldStudy& told) {
  const space::Picture& picture = told.study.file.picture;
  if (picture.columns.empty()) return "";
  std::vector<std::size_t> columns;
  for (const std::string& title : picture.columns) columns.push_back(told.study.column(title));
  const Scaled scale = scale_for(told, columns);
  report::ValueBars bars{picture.title, told.study.file.source, scale.unit, {}, {}};
  std::size_t axis = told.study.space.axes.size();
  for (std::size_t a = 0; a < told.study.space.axes.size(); ++a)
    if (told.study.space.axes[a].name == picture.colours) axis = a;
  const bool by_axis = axis < told.study.space.axes.size();
  if (by_axis)
    for (const space::Choice& choice : told.study.space.axes[axis].choices)
      bars.legend.push_back(choice.name);
  else
    bars.legend = picture.columns;
  for (std::size_t i = 0; i < told.study.runs.size(); ++i) {
    const space::Run& run = told.study.runs[i];
    if (!space::is_at(told.study.space, run.at, picture.runs)) continue;
    const std::string group = by_axis ? group_of(told, run, picture.colours) : "";
    report::ValueBar bar{by_axis ? run.at[axis] : group_of(told, run, ""), {}, "", 0};
    double sum = 0;
    for (const std::size_t c : columns) {
      bar.parts.push_back(told.table.cells[i][c] / scale.by);
      sum += told.table.cells[i][c];
    }
    if (!std::isfinite(sum)) continue;
    const space::Column& first = told.study.file.columns[columns.front()];
    bar.text = space::format(sum, first.value_unit(), first.unit, first.decimals);
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
    for (const space::BuiltIn& one : space::built_in_studies()) {
      const auto study = space::parse_case_study(one.text, std::string(one.name));
      json.begin_object().field("name", one.name);
      json.field("title", study ? study->file.title : study.error().what);
      json.field("run_count", study ? study->runs.size() : 0).end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
