// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_space_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using explore::ExplorationResult;
using explore::Figure;
using explore::SearchSpace;

std::string figure_title(Figure figure, bool tokens) {
  if (figure == Figure::rate && !tokens) return "samples/s";
  return std::string(explore::info(figure).title);
}

std::string space_text(const SearchSpace& space) {
  return fmt::format("{}{}, {:.0f} combination{}",
                     space.file.title.empty() ? "" : printable(space.file.title) + ": ",
                     space.axes.size() == 1 ? "1 axis" : count(space.axes.size()) + " axes",
                     space.combinations(), space.combinations() == 1 ? "" : "s");
}

std::string evaluated_points_text(const ExplorationResult& explored) {
  const std::uint64_t uncertain = explored.fitting_uncertain + explored.too_large_uncertain;
  std::string text = fmt::format("{}: {} fit", plural(explored.points.size(), "point"),
                                 count(explored.fitting - explored.fitting_uncertain));
  if (uncertain > 0) text += fmt::format(", {} may not fit", count(uncertain));
  text += fmt::format(", {} allowed", count(explored.best.size()));
  if (explored.refused > 0)
    text += fmt::format("; {} excluded by constraints", count(explored.refused));
  return text;
}

std::string objectives_text(const SearchSpace& space) {
  std::string text;
  for (const Figure one : space.objectives)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", explore::info(one).name);
  return text;
}

std::vector<Rejection> rejected_points(const ExplorationResult& explored) {
  std::vector<Rejection> others;
  for (const auto& [constraint, number] : explored.violated)
    others.emplace_back(number, "constraint " + constraint);
  if (explored.failed > 0)
    others.emplace_back(explored.failed,
                        "failed; the first error: " + to_string(*explored.failure));
  if (explored.too_large_uncertain > 0)
    others.emplace_back(explored.too_large_uncertain,
                        "may not fit: its estimated memory exceeds that of a device");
  return rejections(explored.too_large - explored.too_large_uncertain,
                    "does not fit: needs more memory than a device has", explored.needs_simulation,
                    explored.illegal, std::move(others));
}

std::vector<Rejection> rejections(std::uint64_t too_large, std::string memory,
                                  std::uint64_t needs_simulation,
                                  const std::map<std::string, std::uint64_t>& illegal,
                                  std::vector<Rejection> others) {
  std::vector<Rejection> rows;
  if (too_large > 0) rows.emplace_back(too_large, std::move(memory));
  if (needs_simulation > 0) rows.emplace_back(needs_simulation, "needs simulation (--method auto)");
  for (const auto& [rule, number] : illegal) rows.emplace_back(number, "rule " + rule);
  std::ranges::move(others, std::back_inserter(rows));
  std::ranges::stable_sort(rows, std::greater(), &Rejection::first);
  return rows;
}

void state_rejections(report::Answer& answer, std::string_view what, std::string_view why,
                      const std::vector<Rejection>& rejected) {
  report::Columns<Rejection> columns;
  columns.add(std::string(what), "", [](const auto& row) { return row.first; })
      .add(std::string(why), "", [](const auto& row) { return row.second; });
  answer.table("", rejected, columns);
}

void state_numbers(report::Answer& answer, std::string_view key,
                   const std::map<std::string, std::uint64_t>& numbers) {
  answer.object(key, [&] {
    for (const auto& [name, number] : numbers) answer.field(name, number);
  });
}

void write_coordinates(report::JsonWriter& json, const SearchSpace& space, std::uint64_t point) {
  const explore::Coordinates at = space.at(point);
  json.begin_object();
  for (std::size_t a = 0; a < at.size(); ++a)
    json.field(space.axes[a].name, space.axes[a].labels[at[a]]);
  json.end_object();
}

}  // namespace orrery::present
