// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/case_study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "orrery/core/text.h"

namespace orrery::present {

using space::Beside;
using space::CaseStudyFile;

Sheetful runs_sheet(const ToldStudy& told) {
  const CaseStudyFile& file = told.study.file;
  Sheetful sheet;
  for (const space::Axis& axis : file.axes) sheet.columns.push_back({printable(axis.name), false});
  for (const space::Column& column : file.columns)
    sheet.columns.push_back({printable(column.title), true});
  for (std::size_t i = 0; i < told.study.runs.size(); ++i) {
    std::vector<std::string> row;
    for (const std::string& choice : told.study.runs[i].at) row.push_back(printable(choice));
    for (std::size_t c = 0; c < file.columns.size(); ++c) {
      const space::Column& column = file.columns[c];
      row.push_back(
          space::format(told.table.cells[i][c], column.value_unit(), column.unit, column.decimals));
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

Sheetful best_sheet(const ToldStudy& told) {
  const CaseStudyFile& file = told.study.file;
  Sheetful sheet;
  for (const space::Axis& axis : file.axes)
    if (axis.name != file.best.axis) sheet.columns.push_back({printable(axis.name), false});
  if (!file.best.memory.empty()) sheet.columns.push_back({"memory", true});
  sheet.columns.push_back({"best " + printable(file.best.axis), false});
  for (const space::Column& column : file.columns)
    sheet.columns.push_back({printable(column.title), true});
  if (!file.best.ratio.empty()) sheet.columns.push_back({printable(file.best.ratio), true});
  const auto runs = runs_sheet(told).rows;
  for (const space::BestRow& best : told.table.best) {
    std::vector<std::string> row;
    for (const std::string& choice : best.at) row.push_back(printable(choice));
    if (!file.best.memory.empty()) row.push_back(printable(best.memory));
    for (std::size_t a = 0; a < file.axes.size(); ++a)
      if (file.axes[a].name == file.best.axis)
        row.push_back(best.run ? runs[*best.run][a] : "none fits");
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      row.push_back(best.run ? runs[*best.run][file.axes.size() + c] : "-");
    if (!file.best.ratio.empty())
      row.push_back(space::format(best.ratio, space::Unit::ratio, "", 2));
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

namespace {

std::string ours_of(const ToldStudy& told, const Beside& one) {
  if (std::isnan(one.ours)) return "-";
  space::Column column;
  column.decimals = 2;  // of the best
  if (!told.study.of_best(*one.figure))
    column = told.study.file.columns[told.study.column(one.figure->column)];
  std::string unit = column.unit;
  std::int64_t decimals = column.decimals;
  // In what the figure was published in, at least as exactly.
  const std::string& value = one.figure->value;
  if (const std::size_t space = value.rfind(' '); space != std::string::npos) {
    const std::string word = value.substr(space + 1);
    if (space::scale_of(one.unit, word)) unit = word;
  }
  if (const std::size_t point = value.find('.'); point != std::string::npos) {
    const std::size_t end = value.find_first_not_of("0123456789", point + 1);
    decimals =
        std::max(decimals, static_cast<std::int64_t>(std::min(end, value.size()) - point - 1));
  }
  return space::format(one.ours, one.unit, unit, std::min<std::int64_t>(decimals, 9));
}

std::string difference_of(const Beside& one) {
  const double difference = one.difference();
  if (!std::isfinite(difference)) return "-";
  if (std::abs(difference) < 5e-6) return "0.000 %";
  return fmt::format("{:+.{}f} %", 100 * difference, std::abs(difference) < 0.00995 ? 3 : 1);
}

std::string run_of(const Beside& one) {
  if (one.figure->column.empty()) return "not reproducible";
  return one.figure->assumed ? "assumed" : "";
}

}  // namespace

Sheetful published_sheet(const ToldStudy& told) {
  Sheetful sheet;
  sheet.columns = {{"figure"},     {"value", true},      {"known"},
                   {"ours", true}, {"difference", true}, {"our run"}};
  for (const Beside& one : told.table.beside)
    sheet.rows.push_back({printable(one.figure->what), printable(one.figure->value),
                          std::string(space::letter(one.figure->mark)), ours_of(told, one),
                          difference_of(one), run_of(one)});
  return sheet;
}

Sheetful inputs_sheet(const ToldStudy& told) {
  Sheetful sheet;
  sheet.columns = {{"runs are made of"}, {"as"}, {"known"}};
  for (const space::Input& one : told.study.file.inputs)
    sheet.rows.push_back(
        {printable(one.what), printable(one.value), std::string(space::letter(one.mark))});
  return sheet;
}

std::vector<std::string> mark_lines(const ToldStudy& told) {
  std::set<space::Mark> marks;
  for (const space::Input& one : told.study.file.inputs) marks.insert(one.mark);
  for (const space::Published& one : told.study.file.published) marks.insert(one.mark);
  std::vector<std::string> lines;
  for (const space::Mark mark : marks)
    lines.push_back(fmt::format("{}: {}", space::letter(mark), space::about(mark)));
  return lines;
}

std::string reason(const Beside& beside) {
  return printable(beside.figure->column.empty() ? beside.figure->why_not : beside.figure->cause);
}

}  // namespace orrery::present
