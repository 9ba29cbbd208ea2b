// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/text/reproduce_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

namespace {

/// Findings, each once, with the number of runs that have it.
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

std::string reasons_text(const Reproduction& reproduction, report::Style style) {
  report::Sheet sheet(style, 4);
  for (const case_study::PublishedComparison& one : reproduction.table.comparisons) {
    const std::string why = reason(one);
    if (why.empty() && !one.figure->assumed) continue;
    sheet.line(style.strong(printable(one.figure->what) + " " + printable(one.figure->value)));
    if (!why.empty()) sheet.add("", why);
    if (!one.run.empty() && one.figure->of != case_study::Aggregate::one)
      sheet.add("", "simulated: " + printable(one.run));
  }
  return sheet.text();
}

}  // namespace

void state_reproduction(report::Answer& answer, const Reproduction& reproduction) {
  const case_study::CaseStudyFile& file = reproduction.study.file;
  const std::size_t out_of_date = reproduction.answers.out_of_date;
  answer.title(printable(file.title));
  answer.field("name", reproduction.study.name).field("title", file.title);
  if (!file.about.empty()) answer.line("about", printable(file.about));
  if (!file.source.empty()) answer.line("source", printable(file.source));
  answer.field("about", file.about).field("source", file.source);
  for (const case_study::StudyInput& one : file.inputs)
    answer.line("input", fmt::format("{}: {} [{}]", printable(one.what), printable(one.value),
                                     case_study::letter(one.mark)));
  answer.rows("assumptions", file.inputs, input_columns());
  if (out_of_date > 0) answer.line("stored", out_of_date_text(out_of_date, "run"));
  answer.field("out_of_date", out_of_date);
  answer.table("per_run", reproduced_runs(reproduction), run_columns(reproduction));
  answer.table("best", reproduction.table.best, best_columns(reproduction));
  answer.table("comparisons", reproduction.table.comparisons, published_columns(reproduction));
  answer.block(reasons_text(reproduction, answer.style()));
  for (const std::string& line : source_mark_lines(reproduction)) answer.line("evidence", line);
  for (const std::string& line : finding_lines(reproduction)) answer.line("finding", line);
  for (const case_study::RunResult& one : reproduction.answers.runs)
    if (one.error) answer.line("failed", printable(to_string(*one.error)));
}

void state_case_studies(report::Answer& answer) {
  using Study = std::pair<std::string_view, Result<case_study::CaseStudy>>;
  std::vector<Study> studies;
  for (const case_study::BuiltIn& one : case_study::builtin_studies())
    studies.emplace_back(one.name, case_study::parse_case_study(one.text, std::string(one.name)));
  report::Columns<Study> columns;
  columns.add("case study", "name", [](auto& one) { return one.first; })
      .add("what", "title",
           [](auto& one) { return one.second ? one.second->file.title : one.second.error().what; })
      .field("run_count", [](auto& one) { return one.second ? one.second->runs.size() : 0; });
  answer.table("studies", studies, columns);
}

}  // namespace orrery::present
