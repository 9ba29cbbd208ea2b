// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/explore_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/explore_rivals.h"
#include "orrery/present/explore_words.h"
#include "orrery/present/words.h"

namespace orrery::present {

using explore::AxisEffect;
using explore::Explored;
using explore::Figure;
using explore::Point;
using explore::SearchSpace;
using explore::State;

namespace {

/// Figures that stand in the table: the usual ones, then those that objectives and constraints
/// name.
std::vector<Figure> shown_figures(const SearchSpace& space) {
  std::vector<Figure> shown{Figure::step, Figure::rate, Figure::mfu, Figure::memory};
  const auto show = [&](Figure figure) {
    if (std::find(shown.begin(), shown.end(), figure) == shown.end()) shown.push_back(figure);
  };
  for (const Figure objective : space.objectives) show(objective);
  for (const explore::Constraint& constraint : space.constraints)
    for (const std::string& name : constraint.holds.names())
      if (const auto figure = explore::figure_named(name)) show(*figure);
  return shown;
}

/// How far its estimate is from its simulation, where it has both: "-0.3 %".
std::string off_text(const Point& point) {
  const auto off = point.estimate_off();
  if (!off) return "";
  return std::abs(*off) < 5e-5 ? "0.00 %" : fmt::format("{:+.2f} %", *off * 100);
}

bool any_compared(const Explored& explored, std::size_t rows) {
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
    if (explored.points[explored.best[i]].estimate_off()) return true;
  return false;
}

std::string points_table(const SearchSpace& space, const Explored& explored, std::size_t rows,
                         report::Style style) {
  const auto shown = shown_figures(space);
  const bool tokens = explored.points[explored.best.front()].told().tokens > 0;
  std::vector<report::Table::Column> columns;
  for (const Figure figure : shown) columns.push_back({figure_title(figure, tokens), true});
  const bool compared = any_compared(explored, rows);
  if (compared) columns.push_back({"est. off", true});
  columns.push_back({"front"});
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < space.axes.size(); ++a)
    if (space.axes[a].values.size() > 1) axes.push_back(a);
  for (const std::size_t a : axes)
    columns.push_back({printable(space.axes[a].name), space.axes[a].ordered});
  columns.push_back({"plan"});
  report::Table table(columns);
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i) {
    const Point& point = explored.points[explored.best[i]];
    std::vector<std::string> row;
    for (const Figure figure : shown)
      row.push_back(explore::format(figure, point.figures[figure]) +
                    (figure == Figure::step && !point.simulation ? " *" : ""));
    if (compared) row.push_back(off_text(point));
    row.push_back(point.front ? "yes" : "");
    const explore::At at = space.at(point.number);
    for (const std::size_t a : axes) row.push_back(printable(space.axes[a].labels[at[a]]));
    row.push_back(printable(point.told().plan));
    table.row(std::move(row));
  }
  return table.text(style, 0, 160);
}

/// "+3.1 %", "too large"
std::string change_text(const explore::Alternative& other) {
  if (other.allowed) return fmt::format("{:+.1f} %", other.change * 100);
  switch (other.state) {
    case State::fits:
      return "not allowed";
    case State::illegal:
      return "breaks a rule";
    case State::too_large:
      return "too large";
    case State::not_told:
      return "not told";
    case State::failed:
      return "failed";
  }
  return "";
}

std::string alternatives(const AxisEffect& effect) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> words;
  for (const explore::Alternative& other : effect.values)
    if (!other.own) words.push_back(printable(other.label) + ": " + change_text(other));
  if (words.size() > kMost) {  // those at the ends, and whoever is in between evenly
    std::vector<std::string> some;
    for (std::size_t i = 0; i < kMost; ++i)
      some.push_back(words[i * (words.size() - 1) / (kMost - 1)]);
    words = std::move(some);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string effects_table(const SearchSpace& space, const Explored& explored, report::Style style) {
  report::Table table({{"axis"}, {"explains", true}, {"best"}, {"others, all else alike"}});
  for (const AxisEffect& effect : explored.effects) {
    const auto own = std::find_if(effect.values.begin(), effect.values.end(),
                                  [](const auto& value) { return value.own; });
    table.row({printable(effect.name), report::percent(effect.explains),
               own == effect.values.end() ? "" : printable(own->label), alternatives(effect)});
  }
  return table.empty() ? ""
                       : fmt::format("\nWhat each axis does to {}, around its best point:\n",
                                     explore::info(space.objectives.front()).title) +
                             table.text(style, 0, 160);
}

std::string lost_table(const Explored& explored, report::Style style) {
  report::Table table({{"points", true}, {"not allowed, because"}});
  for (const auto& [number, reason] : lost_points(explored))
    table.row({count(number), printable(reason)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string notes(const SearchSpace& space, const Explored& explored, std::size_t rows) {
  std::string text;
  bool estimated = false, both = false;
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
    estimated = estimated || !explored.points[explored.best[i]].simulation;
  for (const Point& point : explored.points) both = both || point.estimate_off().has_value();
  text += fmt::format("front: no other is as good in all of {}, and better in one\n",
                      objective_words(space));
  if (estimated)
    text += "* estimated: ops one after another as a simulation has them alone (docs/search.md)\n";
  if (both)
    text += fmt::format("{} simulated; estimates were ", plural(explored.simulations, "point")) +
            estimates_off(explored.worst_off, explored.simulations >= explored.fitting);
  if (explored.in_columns > 0)
    text += fmt::format("{} told in closed form, {} of them played: up to {:.1f} % off.\n",
                        plural(explored.in_columns, "point"), explored.played,
                        std::abs(explored.columns_off) * 100);
  return text;
}

}  // namespace

std::string explore_text(const SearchSpace& space, const Explored& explored, std::size_t rows,
                         report::Style style) {
  report::Sheet sheet(style);
  sheet.add("space", space_words(space));
  sheet.add("looked at", looked_words(explored));
  if (explored.out_of_date > 0)
    sheet.add("stored", out_of_date_words(explored.out_of_date, "point"));
  std::string text = sheet.text();
  if (explored.best.empty()) {
    text += "\nno point is allowed";
    if (explored.smallest) {
      const Point& least = explored.points[*explored.smallest];
      text += fmt::format(": {} of a device at least ({})",
                          explore::format(Figure::memory, static_cast<double>(least.told().memory)),
                          printable(space.words(space.at(least.number))));
    }
    return text + "\n" + lost_table(explored, style);
  }
  return text + "\n" + points_table(space, explored, rows, style) + notes(space, explored, rows) +
         effects_table(space, explored, style) + rivals_table(space, explored, style) +
         lost_table(explored, style);
}

}  // namespace orrery::present
