// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_space_labels.h"

#include <fmt/format.h>

#include <algorithm>

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
  std::string text = fmt::format("{}: {} fit, {} allowed", plural(explored.points.size(), "point"),
                                 count(explored.fitting), count(explored.best.size()));
  if (explored.refused > 0) text += fmt::format("; {} refused before", count(explored.refused));
  return text;
}

std::string objectives_text(const SearchSpace& space) {
  std::string text;
  for (const Figure one : space.objectives)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", explore::info(one).name);
  return text;
}

std::vector<std::pair<std::uint64_t, std::string>> rejected_points(
    const ExplorationResult& explored) {
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  if (explored.too_large > 0)
    rows.emplace_back(explored.too_large, "needs more memory than a device has");
  if (explored.needs_simulation > 0)
    rows.emplace_back(explored.needs_simulation, "only a simulation tells (--gear auto)");
  for (const auto& [rule, number] : explored.illegal) rows.emplace_back(number, "rule " + rule);
  for (const auto& [constraint, number] : explored.violated)
    rows.emplace_back(number, "constraint " + constraint);
  if (explored.failed > 0)
    rows.emplace_back(explored.failed, "failed, the first with: " + to_string(*explored.failure));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return rows;
}

}  // namespace orrery::present
