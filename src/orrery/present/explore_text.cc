// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/explore_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/explore/evaluator.h"
#include "orrery/present/checked_text.h"
#include "orrery/present/words.h"
#include "orrery/report/envelope.h"

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

std::string title_of(Figure figure, bool tokens) {
  if (figure == Figure::rate && !tokens) return "samples/s";
  return std::string(explore::info(figure).title);
}

std::string points_table(const SearchSpace& space, const Explored& explored, std::size_t rows,
                         report::Style style) {
  const auto shown = shown_figures(space);
  const bool tokens = explored.points[explored.best.front()].told().tokens > 0;
  std::vector<report::Table::Column> columns;
  for (const Figure figure : shown) columns.push_back({title_of(figure, tokens), true});
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

std::string lost_points(const Explored& explored, report::Style style) {
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  if (explored.too_large > 0)
    rows.emplace_back(explored.too_large, "needs more memory than a device has");
  if (explored.not_told > 0)
    rows.emplace_back(explored.not_told, "only a simulation tells (--gear auto)");
  for (const auto& [rule, number] : explored.illegal) rows.emplace_back(number, "rule " + rule);
  for (const auto& [constraint, number] : explored.against)
    rows.emplace_back(number, "constraint " + constraint);
  if (explored.failed > 0)
    rows.emplace_back(explored.failed, "failed, the first with: " + to_string(*explored.failure));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  report::Table table({{"points", true}, {"not allowed, because"}});
  for (const auto& [number, reason] : rows) table.row({count(number), printable(reason)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string notes(const SearchSpace& space, const Explored& explored, std::size_t rows) {
  std::string text;
  bool estimated = false, both = false;
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
    estimated = estimated || !explored.points[explored.best[i]].simulation;
  for (const Point& point : explored.points)
    both = both || (point.estimate && point.simulation && point.estimate->step > 0);
  std::string objectives;
  for (const Figure one : space.objectives)
    objectives += fmt::format("{}{}", objectives.empty() ? "" : ", ", explore::info(one).name);
  text += fmt::format("front: no other is as good in all of {}, and better in one\n", objectives);
  if (estimated)
    text += "* estimated: ops one after another as a simulation has them alone (docs/search.md)\n";
  if (both)
    text += fmt::format("{} simulated; estimates were ", plural(explored.simulations, "point")) +
            estimates_off(explored.worst_off, explored.simulations >= explored.fitting);
  return text;
}

void write_figures(report::JsonWriter& json, const Point& point) {
  json.key("figures").begin_object();
  for (const explore::FigureInfo& one : explore::figures())
    json.field(one.name, point.figures[one.figure]);
  json.end_object();
}

void write_point(report::JsonWriter& json, const SearchSpace& space, const Point& point) {
  const explore::At at = space.at(point.number);
  json.begin_object().key("at").begin_object();
  for (std::size_t a = 0; a < at.size(); ++a)
    json.field(space.axes[a].name, space.axes[a].labels[at[a]]);
  json.end_object();
  json.field("front", point.front).field("plan", point.told().plan);
  if (point.estimate && point.estimate->step > 0) json.field("estimate_ps", point.estimate->step);
  if (point.simulation) json.field("simulated_ps", point.simulation->step);
  if (point.simulation && point.simulation->shares) {
    const auto& [compute, exposed, idle] = *point.simulation->shares;
    json.field("compute", compute).field("exposed", exposed).field("idle", idle);
  }
  write_figures(json, point);
  // It was asked before, so that it can be put together again.
  if (const auto asked = explore::asked_at(space, at))
    json.field("cluster", asked->cluster.dump()).field("job", asked->job.dump());
  json.end_object();
}

void write_effects(report::JsonWriter& json, const Explored& explored) {
  json.key("axes").begin_array();
  for (const AxisEffect& effect : explored.effects) {
    json.begin_object()
        .field("name", effect.name)
        .field("explains", effect.explains)
        .key("values")
        .begin_array();
    for (const explore::Alternative& other : effect.values) {
      json.begin_object()
          .field("value", other.label)
          .field("best", other.own)
          .field("state", config::word_of(other.state))
          .field("allowed", other.allowed);
      if (other.allowed) json.field("change", other.change);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string explore_text(const SearchSpace& space, const Explored& explored, std::size_t rows,
                         report::Style style) {
  report::Sheet sheet(style);
  sheet.add("space",
            fmt::format("{}{}, {:.0f} combinations",
                        space.file.title.empty() ? "" : printable(space.file.title) + ": ",
                        space.axes.size() == 1 ? "1 axis" : count(space.axes.size()) + " axes",
                        space.combinations()));
  std::string looked =
      fmt::format("{}: {} fit, {} allowed", plural(explored.points.size(), "point"),
                  count(explored.fitting), count(explored.best.size()));
  if (explored.refused > 0) looked += fmt::format("; {} refused before", count(explored.refused));
  sheet.add("looked at", looked);
  std::string text = sheet.text();
  if (explored.best.empty()) {
    text += "\nno point is allowed";
    if (explored.smallest) {
      const Point& least = explored.points[*explored.smallest];
      text += fmt::format(": {} of a device at least ({})",
                          explore::format(Figure::memory, static_cast<double>(least.told().memory)),
                          printable(space.words(space.at(least.number))));
    }
    return text + "\n" + lost_points(explored, style);
  }
  return text + "\n" + points_table(space, explored, rows, style) + notes(space, explored, rows) +
         effects_table(space, explored, style) + lost_points(explored, style);
}

std::string explore_json(const SearchSpace& space, const Explored& explored, std::size_t rows) {
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("combinations", space.combinations())
        .field("points", static_cast<std::int64_t>(explored.points.size()))
        .field("found_out", static_cast<std::int64_t>(explored.found_out))
        .field("refused", static_cast<std::int64_t>(explored.refused))
        .field("fitting", static_cast<std::int64_t>(explored.fitting))
        .field("allowed", static_cast<std::int64_t>(explored.best.size()))
        .field("too_large", static_cast<std::int64_t>(explored.too_large))
        .field("not_told", static_cast<std::int64_t>(explored.not_told))
        .field("failed", static_cast<std::int64_t>(explored.failed))
        .field("simulated", static_cast<std::int64_t>(explored.simulations))
        .field("worst_estimate_off", explored.worst_off)
        .key("checked");
    write_checked(json, explored.checked);
    json.key("illegal").begin_object();
    for (const auto& [rule, number] : explored.illegal)
      json.field(rule, static_cast<std::int64_t>(number));
    json.end_object().key("against").begin_object();
    for (const auto& [constraint, number] : explored.against)
      json.field(constraint, static_cast<std::int64_t>(number));
    json.end_object().key("best").begin_array();
    for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
      write_point(json, space, explored.points[explored.best[i]]);
    json.end_array();
    write_effects(json, explored);
    json.end_object();
  });
}

}  // namespace orrery::present
