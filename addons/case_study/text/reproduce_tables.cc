// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/text/reproduce_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "orrery/core/text/text.h"

namespace orrery::present {

using case_study::CaseStudyFile;
using case_study::PublishedComparison;

StudyTable runs_table(const Reproduction& reproduction) {
  const CaseStudyFile& file = reproduction.study.file;
  StudyTable sheet;
  for (const case_study::GridAxis& axis : file.axes)
    sheet.columns.push_back({printable(axis.name), false});
  for (const case_study::Column& column : file.columns)
    sheet.columns.push_back({printable(column.title), true});
  for (std::size_t i = 0; i < reproduction.study.runs.size(); ++i) {
    std::vector<std::string> row;
    for (const std::string& choice : reproduction.study.runs[i].at)
      row.push_back(printable(choice));
    for (std::size_t c = 0; c < file.columns.size(); ++c) {
      const case_study::Column& column = file.columns[c];
      row.push_back(case_study::format(reproduction.table.cells[i][c], column.value_unit(),
                                       column.unit, column.decimals));
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

StudyTable best_table(const Reproduction& reproduction) {
  const CaseStudyFile& file = reproduction.study.file;
  StudyTable sheet;
  for (const case_study::GridAxis& axis : file.axes)
    if (axis.name != file.best.axis) sheet.columns.push_back({printable(axis.name), false});
  if (!file.best.memory.empty()) sheet.columns.push_back({"memory", true});
  sheet.columns.push_back({"best " + printable(file.best.axis), false});
  for (const case_study::Column& column : file.columns)
    sheet.columns.push_back({printable(column.title), true});
  if (!file.best.ratio.empty()) sheet.columns.push_back({printable(file.best.ratio), true});
  const auto runs = runs_table(reproduction).rows;
  for (const case_study::BestChoice& best : reproduction.table.best) {
    std::vector<std::string> row;
    for (const std::string& choice : best.at) row.push_back(printable(choice));
    if (!file.best.memory.empty()) row.push_back(printable(best.memory));
    for (std::size_t a = 0; a < file.axes.size(); ++a)
      if (file.axes[a].name == file.best.axis)
        row.push_back(best.run ? runs[*best.run][a] : "none fits");
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      row.push_back(best.run ? runs[*best.run][file.axes.size() + c] : "-");
    if (!file.best.ratio.empty())
      row.push_back(case_study::format(best.ratio, case_study::Unit::ratio, "", 2));
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

namespace {

std::string ours_of(const Reproduction& reproduction, const PublishedComparison& one) {
  if (std::isnan(one.ours)) return "-";
  case_study::Column column;
  column.decimals = 2;  // of the best
  if (!reproduction.study.of_best(*one.figure))
    column = reproduction.study.file.columns[reproduction.study.column(one.figure->column)];
  std::string unit = column.unit;
  std::int64_t decimals = column.decimals;
  // In what the figure was published in, at least as exactly.
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
  return case_study::format(one.ours, one.unit, unit, std::min<std::int64_t>(decimals, 9));
}

std::string difference_of(const PublishedComparison& one) {
  const double difference = one.difference();
  if (!std::isfinite(difference)) return "-";
  if (std::abs(difference) < 5e-6) return "0.000 %";
  return fmt::format("{:+.{}f} %", 100 * difference, std::abs(difference) < 0.00995 ? 3 : 1);
}

std::string run_of(const PublishedComparison& one) {
  if (one.figure->column.empty()) return "not reproducible";
  return one.figure->assumed ? "assumed" : "";
}

}  // namespace

StudyTable published_table(const Reproduction& reproduction) {
  StudyTable sheet;
  sheet.columns = {{"figure"},     {"value", true},      {"known"},
                   {"ours", true}, {"difference", true}, {"our run"}};
  for (const PublishedComparison& one : reproduction.table.comparisons)
    sheet.rows.push_back({printable(one.figure->what), printable(one.figure->value),
                          std::string(case_study::letter(one.figure->mark)),
                          ours_of(reproduction, one), difference_of(one), run_of(one)});
  return sheet;
}

StudyTable inputs_table(const Reproduction& reproduction) {
  StudyTable sheet;
  sheet.columns = {{"runs are made of"}, {"as"}, {"known"}};
  for (const case_study::StudyInput& one : reproduction.study.file.inputs)
    sheet.rows.push_back(
        {printable(one.what), printable(one.value), std::string(case_study::letter(one.mark))});
  return sheet;
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

std::string reason(const PublishedComparison& comparisons) {
  return printable(comparisons.figure->column.empty() ? comparisons.figure->why_not
                                                      : comparisons.figure->cause);
}

}  // namespace orrery::present
