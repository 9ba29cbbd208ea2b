// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/case_study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "orrery/core/text.h"
#include "orrery/present/case_study_table.h"
#include "orrery/present/words.h"
#include "orrery/report/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using report::Sheet;
using report::Style;
using report::Table;
using space::Beside;

namespace {

std::string table_of(const Sheetful& sheet, Style style) {
  Table table(sheet.columns);
  for (const auto& row : sheet.rows) table.row(row);
  return table.empty() ? "" : table.text(style) + "\n";
}

/// What was odd, each once, with how many runs say so.
std::vector<std::string> finding_lines(const ToldStudy& told) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const space::Answered& one : told.answers.runs)
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

std::string reasons_text(const ToldStudy& told, Style style) {
  Sheet sheet(style, 4);
  for (const Beside& one : told.table.beside) {
    const std::string why = reason(one);
    if (why.empty() && !one.figure->assumed) continue;
    sheet.line(style.strong(printable(one.figure->what) + " " + printable(one.figure->value)));
    if (!why.empty()) sheet.add("", why);
    if (!one.run.empty() && one.figure->of != space::Of::one)
      sheet.add("", "ours: " + printable(one.run));
  }
  return sheet.text().empty() ? "" : sheet.text() + "\n";
}

}  // namespace

std::size_t ToldStudy::failed() const {
  return static_cast<std::size_t>(std::count_if(answers.runs.begin(), answers.runs.end(),
                                                [](const auto& one) { return one.error; }));
}

std::string case_study_text(const ToldStudy& told, Style style) {
  const space::CaseStudyFile& file = told.study.file;
  Sheet head(style, 14);
  head.line(style.strong(printable(file.title)));
  if (!file.about.empty()) head.add("about", printable(file.about));
  if (!file.source.empty()) head.add("source", printable(file.source));
  for (const space::Input& one : file.inputs)
    head.add("made of", fmt::format("{}: {} [{}]", printable(one.what), printable(one.value),
                                    space::letter(one.mark)));
  if (told.answers.out_of_date > 0)
    head.add("stored", out_of_date_words(told.answers.out_of_date, "run"));
  std::string text = head.text() + "\n" + table_of(runs_sheet(told), style) +
                     table_of(best_sheet(told), style) + table_of(published_sheet(told), style) +
                     reasons_text(told, style);
  Sheet tail(style, 14);
  for (const std::string& line : mark_lines(told)) tail.add("known", line);
  for (const std::string& line : finding_lines(told)) tail.add("finding", line);
  for (const space::Answered& one : told.answers.runs)
    if (one.error) tail.add("failed", printable(to_string(*one.error)));
  if (tail.text().empty()) text.pop_back();  // an empty line before nothing
  return text + tail.text();
}

std::string case_studies_text(Style style) {
  Table table({{"case study"}, {"what"}});
  for (const space::BuiltIn& one : space::built_in_studies()) {
    const auto study = space::parse_case_study(one.text, std::string(one.name));
    table.row({std::string(one.name), study ? study->file.title : study.error().what});
  }
  return table.text(style);
}

}  // namespace orrery::present
