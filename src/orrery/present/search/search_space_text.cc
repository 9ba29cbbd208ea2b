// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_space_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/explore/evaluation/configuration.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/present/number_text.h"
#include "orrery/present/search/search_check_text.h"
#include "orrery/present/search/search_competitors_text.h"
#include "orrery/present/search/search_space_labels.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using explore::AxisEffect;
using explore::ExplorationResult;
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
std::string error_interval_text(const Point& point) {
  const auto off = point.estimate_error();
  if (!off) return "";
  return std::abs(*off) < 5e-5 ? "0.00 %" : fmt::format("{:+.2f} %", *off * 100);
}

bool any_compared(const ExplorationResult& explored, std::size_t rows) {
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
    if (explored.points[explored.best[i]].estimate_error()) return true;
  return false;
}

std::string points_table(const SearchSpace& space, const ExplorationResult& explored,
                         std::size_t rows, report::Style style) {
  const auto shown = shown_figures(space);
  const bool tokens = explored.points[explored.best.front()].predicted().tokens > 0;
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
    if (compared) row.push_back(error_interval_text(point));
    row.push_back(point.front ? "yes" : "");
    const explore::Coordinates at = space.at(point.number);
    for (const std::size_t a : axes) row.push_back(printable(space.axes[a].labels[at[a]]));
    row.push_back(printable(point.predicted().plan));
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
    case State::needs_simulation:
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

std::string effects_table(const SearchSpace& space, const ExplorationResult& explored,
                          report::Style style) {
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

std::string lost_table(const ExplorationResult& explored, report::Style style) {
  report::Table table({{"points", true}, {"not allowed, because"}});
  for (const auto& [number, reason] : rejected_points(explored))
    table.row({count(number), printable(reason)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string notes(const SearchSpace& space, const ExplorationResult& explored, std::size_t rows) {
  std::string text;
  bool estimated = false, both = false;
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
    estimated = estimated || !explored.points[explored.best[i]].simulation;
  for (const Point& point : explored.points) both = both || point.estimate_error().has_value();
  text += fmt::format("front: no other is as good in all of {}, and better in one\n",
                      objectives_text(space));
  if (estimated)
    text += "* estimated: ops one after another as a simulation has them alone (docs/search.md)\n";
  if (both)
    text +=
        fmt::format("{} simulated; estimates were ", plural(explored.simulations, "point")) +
        estimate_error_text(explored.max_estimate_error, explored.simulations >= explored.fitting);
  if (explored.in_columns > 0)
    text += fmt::format("{} told in closed form, {} of them played: up to {:.1f} % off.\n",
                        plural(explored.in_columns, "point"), explored.played,
                        std::abs(explored.columns_error) * 100);
  return text;
}

}  // namespace

std::string search_space_text(const SearchSpace& space, const ExplorationResult& explored,
                              std::size_t rows, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("space", space_text(space));
  sheet.add("looked at", evaluated_points_text(explored));
  if (explored.out_of_date > 0)
    sheet.add("stored", out_of_date_text(explored.out_of_date, "point"));
  std::string text = sheet.text();
  if (explored.best.empty()) {
    text += "\nno point is allowed";
    if (explored.smallest) {
      const Point& least = explored.points[*explored.smallest];
      text += fmt::format(
          ": {} of a device at least ({})",
          explore::format(Figure::memory, static_cast<double>(least.predicted().memory)),
          printable(space.words(space.at(least.number))));
    }
    return text + "\n" + lost_table(explored, style);
  }
  return text + "\n" + points_table(space, explored, rows, style) + notes(space, explored, rows) +
         effects_table(space, explored, style) + competitors_table(space, explored, style) +
         lost_table(explored, style);
}

using explore::AxisEffect;
using explore::ExplorationResult;
using explore::Point;
using explore::SearchSpace;

namespace {

void write_figures(report::JsonWriter& json, const Point& point) {
  json.key("figure_values").begin_object();
  for (const explore::FigureDescription& one : explore::figures())
    json.field(one.json_name, point.figures[one.figure] * one.json_scale);
  json.end_object();
}

/// What orrery run takes, and what Megatron-LM does.
void write_configuration(report::JsonWriter& json, const explore::Configuration& how) {
  json.field("cluster", (how.named.empty() ? how.cluster : config::Json(how.named)).dump());
  json.field("job", how.job.dump());
  json.key("megatron").begin_object().key("arguments").begin_array();
  for (const workload::MegatronArgument& one : how.megatron.arguments) {
    json.value(one.name);
    for (const std::string& value : one.values) json.value(value);
  }
  json.end_array().key("not_supported").begin_array();
  for (const std::string& one : how.megatron.unsupported) json.value(one);
  json.end_array().end_object();
}

void write_point(report::JsonWriter& json, const SearchSpace& space, const Point& point,
                 explore::Evaluator& evaluator) {
  const explore::Coordinates at = space.at(point.number);
  json.begin_object().key("at").begin_object();
  for (std::size_t a = 0; a < at.size(); ++a)
    json.field(space.axes[a].name, space.axes[a].labels[at[a]]);
  json.end_object();
  json.field("front", point.front).field("plan", point.predicted().plan);
  if (point.columns && point.columns->step > 0)
    json.nanoseconds("closed_form", Time(point.columns->step));
  if (point.estimate && point.estimate->step > 0)
    json.nanoseconds("estimate", Time(point.estimate->step));
  if (point.simulation) json.nanoseconds("simulated", Time(point.simulation->step));
  if (point.simulation && point.simulation->shares) {
    for (std::size_t i = 0; i < explore::kStepParts.size(); ++i)
      json.field(explore::kStepParts[i].share_key, (*point.simulation->shares)[i]);
  }
  write_figures(json, point);
  // It was asked before, so that it can be put together again.
  if (const auto how = explore::configuration_of(space, point.number, evaluator))
    write_configuration(json, *how);
  json.end_object();
}

void write_effects(report::JsonWriter& json, const ExplorationResult& explored) {
  json.key("axes").begin_array();
  for (const AxisEffect& effect : explored.effects) {
    json.begin_object()
        .field("name", effect.name)
        .field("explained_share", effect.explains)
        .key("settings")
        .begin_array();
    for (const explore::Alternative& other : effect.values) {
      json.begin_object()
          .field("setting", other.label)
          .field("is_best", other.own)
          .field("state", config::enum_name(other.state))
          .field("has_feasible_point", other.allowed);
      if (other.allowed) json.field("change_ratio", other.change);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string search_space_json(const SearchSpace& space, const ExplorationResult& explored,
                              std::size_t rows) {
  explore::Evaluator evaluator(space);
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("combinations", space.combinations())
        .field("points", static_cast<std::int64_t>(explored.points.size()))
        .field("evaluated", static_cast<std::int64_t>(explored.evaluated))
        .field("out_of_date", static_cast<std::int64_t>(explored.out_of_date))
        .field("rejected", static_cast<std::int64_t>(explored.refused))
        .field("fitting", static_cast<std::int64_t>(explored.fitting))
        .field("feasible", static_cast<std::int64_t>(explored.best.size()))
        .field("too_large", static_cast<std::int64_t>(explored.too_large))
        .field("not_estimated", static_cast<std::int64_t>(explored.needs_simulation))
        .field("failed", static_cast<std::int64_t>(explored.failed))
        .field("simulated", static_cast<std::int64_t>(explored.simulations))
        .field("closed_form", static_cast<std::int64_t>(explored.in_columns))
        .field("estimated", static_cast<std::int64_t>(explored.played))
        .field("max_closed_form_error", explored.columns_error)
        .field("max_estimate_error", explored.max_estimate_error)
        .key("space_check");
    write_search_check(json, explored.space_check);
    json.key("illegal_by_rule").begin_object();
    for (const auto& [rule, number] : explored.illegal)
      json.field(rule, static_cast<std::int64_t>(number));
    json.end_object().key("excluded_by_constraint").begin_object();
    for (const auto& [constraint, number] : explored.violated)
      json.field(constraint, static_cast<std::int64_t>(number));
    json.end_object().key("best").begin_array();
    for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
      write_point(json, space, explored.points[explored.best[i]], evaluator);
    json.end_array();
    write_effects(json, explored);
    write_competitors(json, space, explored);
    json.end_object();
  });
}

}  // namespace orrery::present
