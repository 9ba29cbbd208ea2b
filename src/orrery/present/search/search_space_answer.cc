// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_space_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/explore/evaluation/configuration.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/present/number_text.h"
#include "orrery/present/search/search_check_answer.h"
#include "orrery/present/search/search_competitors_answer.h"
#include "orrery/present/search/search_space_labels.h"

namespace orrery::present {

using explore::AxisEffect;
using explore::ExplorationResult;
using explore::Figure;
using explore::Point;
using explore::SearchSpace;
using explore::State;
using report::Align;
using report::Value;

namespace {

using Points = std::vector<std::reference_wrapper<const Point>>;

bool any_has(const Points& points, Figure figure) {
  return std::ranges::any_of(points, [figure](const Point& point) {  //
    return std::isfinite(point.figures[figure]);
  });
}

/// Columns of the table: the default figures, then those that objectives and constraints name.
std::vector<Figure> shown_figures(const SearchSpace& space, const Points& points) {
  std::vector<Figure> shown{Figure::step, Figure::rate, Figure::mfu};
  if (any_has(points, Figure::format_mfu)) shown.push_back(Figure::format_mfu);
  shown.push_back(Figure::memory);
  const auto show = [&](Figure figure) {
    if (std::find(shown.begin(), shown.end(), figure) == shown.end()) shown.push_back(figure);
  };
  for (const Figure objective : space.objectives) show(objective);
  for (const explore::Constraint& constraint : space.constraints)
    for (const std::string& name : constraint.holds.names())
      if (const auto figure = explore::figure_named(name)) show(*figure);
  return shown;
}

/// The error of the estimate against the simulation where a point has both: "-0.30 %".
std::string estimate_error_of(const Point& point) {
  return point.estimate_error()
             ? relative_change(Time(point.simulation->step), Time(point.estimate->step))
             : "";
}

/// "(918 … 1069)", in the unit of the step.
std::string interval_text_of(const Point& point) {
  const auto& predicted = point.predicted();
  if (!predicted.interval) return "";
  return analysis::interval_text(Time(predicted.step), predicted.interval->lower,
                                 predicted.interval->upper);
}

/// "may not fit"; nothing of what fits.
std::string doubt_text(const Point& point) {
  const auto fit = point.predicted().fit();
  return fit && *fit != MemoryFit::yes ? std::string(text(*fit)) : "";
}

void add_figures(report::Columns<Point>& columns, const SearchSpace& space, const Points& points) {
  const bool tokens = !points.empty() && points.front().get().predicted().tokens > 0;
  for (const Figure figure : shown_figures(space, points)) {
    columns.show_number(figure_title(figure, tokens), [figure](const Point& point) {
      return explore::format(figure, point.figures[figure]) +
             (figure == Figure::step && !point.simulation ? " *" : "");
    });
    if (figure == Figure::step && any_has(points, Figure::step_low))
      columns.show("80 % interval", interval_text_of);
    if (figure == Figure::memory &&
        std::ranges::any_of(points, [](const Point& one) { return !doubt_text(one).empty(); }))
      columns.show("", doubt_text);
  }
  columns.nested("figure_values", [](auto& json, const Point& point) {
    json.begin_object();
    for (const explore::FigureDescription& one : explore::figures())
      json.field(one.json_name, point.figures[one.figure] * one.json_scale);
    json.end_object();
  });
}

/// Axes with several values.
void add_axes(report::Columns<Point>& columns, const SearchSpace& space) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    const explore::Axis& axis = space.axes[a];
    if (axis.values.size() <= 1) continue;
    columns.show(
        printable(axis.name),
        [&space, &axis, a](const Point& point) {
          return printable(axis.labels[space.at(point.number)[a]]);
        },
        axis.ordered ? Align::right : Align::left);
  }
  columns.nested(
      "at", [&](auto& json, const Point& point) { write_coordinates(json, space, point.number); });
}

/// The verdict on memory, and the interval of the step or why it has none.
void add_verdict_and_interval(report::Columns<Point>& columns) {
  columns
      .field("verdict",
             [](const Point& point) {
               const auto fit = point.predicted().fit();
               return fit ? Value(name(*fit)) : Value();
             })
      .nested("prediction_interval",
              [](auto& json, const Point& point) {
                const auto& interval = point.predicted().interval;
                if (interval)
                  write_step_interval(json, *interval);
                else
                  json.null();
              })
      .field("no_interval_reason",
             [](const Point& point) { return text_or_null(point.predicted().no_interval_reason); });
}

/// The step by each evaluation, and its parts where it was simulated.
void add_evaluations(report::Columns<Point>& columns) {
  const auto step = [](std::optional<explore::PointPrediction> Point::*member) {
    return [member](const Point& point) {
      const auto& prediction = point.*member;
      return prediction && prediction->step > 0 ? Value(Time(prediction->step)) : Value();
    };
  };
  columns.field("closed_form_ns", step(&Point::columns)).omit_null();
  columns.field("estimate_ns", step(&Point::estimate)).omit_null();
  columns.field("simulated_ns", step(&Point::simulation)).omit_null();
  for (std::size_t i = 0; i < explore::kStepParts.size(); ++i)
    columns
        .field(std::string(explore::kStepParts[i].share_key),
               [i](const Point& point) {
                 return point.simulation && point.simulation->shares
                            ? Value((*point.simulation->shares)[i])
                            : Value();
               })
        .omit_null();
}

/// The job and cluster for orrery run, and the arguments for Megatron-LM.
void write_configuration(report::JsonWriter& json, const explore::Configuration& how) {
  json.field("cluster", (how.named.empty() ? how.cluster : config::Json(how.named)).dump());
  json.field("job", how.job.dump());
  json.key("megatron").begin_object().key("arguments").begin_array();
  for (const workload::MegatronArgument& one : how.megatron.arguments) {
    json.value(one.name);
    for (const std::string& value : one.values) json.value(value);
  }
  report::write_values(json.end_array().key("not_supported"), how.megatron.unsupported);
  json.end_object();
}

void state_points(report::Answer& answer, const SearchSpace& space,
                  const ExplorationResult& explored, std::size_t rows) {
  Points points;
  for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
    points.emplace_back(explored.points[explored.best[i]]);
  report::Columns<Point> columns;
  add_figures(columns, space, points);
  if (std::ranges::any_of(points,
                          [](const Point& one) { return one.estimate_error().has_value(); }))
    columns.show_number("est. error", estimate_error_of);
  columns.add("front", "front", &Point::front,
              [](const auto& point) { return point.front ? "yes" : ""; });
  add_axes(columns, space);
  columns.add("plan", "plan", [](const Point& point) { return point.predicted().plan; });
  add_verdict_and_interval(columns);
  add_evaluations(columns);
  explore::Evaluator evaluator(space);
  columns.members([&](auto& json, const Point& point) {
    // The search evaluated this point, so its configuration can be built again.
    if (const auto how = explore::configuration_of(space, point.number, evaluator))
      write_configuration(json, *how);
  });
  answer.table("best", points, columns, {.width = 160});
  if (points.empty()) return;
  answer.note(fmt::format("front: Pareto front ({})", objectives_text(space)));
  if (!std::ranges::all_of(points, [](const Point& one) { return one.simulation.has_value(); }))
    answer.note("* estimated: operations with their contention-free times (docs/search.md)");
}

/// How the points were evaluated.
void state_evaluation(report::Answer& answer, const ExplorationResult& explored) {
  answer.field("simulated", explored.simulations).field("closed_form", explored.in_columns);
  answer.field("estimated", explored.detailed);
  answer.field("max_closed_form_error", explored.columns_error);
  answer.field("max_estimate_error", explored.max_estimate_error);
  if (explored.best.empty()) return;
  if (std::ranges::any_of(explored.points,
                          [](const Point& one) { return one.estimate_error().has_value(); }))
    answer.note(
        fmt::format("{} simulated; estimates ", plural(explored.simulations, "point")) +
        estimate_error_text(explored.max_estimate_error, explored.simulations >= explored.fitting));
  if (explored.in_columns > 0)
    answer.note(
        fmt::format("{} estimated in closed form, {} of them also in detail: error up to {:.1f} %.",
                    plural(explored.in_columns, "point"), explored.detailed,
                    std::abs(explored.columns_error) * 100));
}

/// "+3.1 %", "does not fit"
std::string change_text(const explore::Alternative& other) {
  if (other.allowed) return signed_share(other.change);
  switch (other.state) {
    case State::fits:
      return "not allowed";
    case State::illegal:
      return "breaks a rule";
    case State::too_large:
      return std::string(text(other.fit.value_or(MemoryFit::no)));
    case State::needs_simulation:
      return "not estimated";
    case State::failed:
      return "failed";
  }
  return "";
}

std::string alternatives(const AxisEffect& effect) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> words;
  for (const explore::Alternative& other : effect.values)
    if (!other.is_best) words.push_back(printable(other.label) + ": " + change_text(other));
  if (words.size() > kMost) {  // both ends, and an even sample between
    std::vector<std::string> some;
    for (std::size_t i = 0; i < kMost; ++i)
      some.push_back(words[i * (words.size() - 1) / (kMost - 1)]);
    words = std::move(some);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

report::Columns<explore::Alternative> setting_columns() {
  report::Columns<explore::Alternative> columns;
  columns.field("setting", &explore::Alternative::label)
      .field("is_best", &explore::Alternative::is_best)
      .field("state", [](const auto& other) { return config::enum_name(other.state); })
      .field("verdict",
             [](const auto& other) { return other.fit ? Value(name(*other.fit)) : Value(); })
      .field("has_feasible_point", &explore::Alternative::allowed)
      .field("change_ratio",
             [](const auto& other) { return other.allowed ? Value(other.change) : Value(); })
      .omit_null();
  return columns;
}

void state_effects(report::Answer& answer, const SearchSpace& space,
                   const ExplorationResult& explored) {
  if (!explored.effects.empty())
    answer.heading(fmt::format("Effect of each axis on {}, around the best point:",
                               explore::info(space.objectives.front()).title));
  report::Columns<AxisEffect> columns;
  columns.add("axis", "name", &AxisEffect::name)
      .add("explains", "explained_share",
           [](const auto& effect) { return report::Share{effect.explains}; })
      .show("best",
            [](const auto& effect) {
              const auto own = std::ranges::find_if(effect.values, &explore::Alternative::is_best);
              return own == effect.values.end() ? "" : printable(own->label);
            })
      .show("others, all else equal", alternatives)
      .nested("settings", [](auto& json, const auto& effect) {
        write_rows(json, effect.values, setting_columns());
      });
  answer.table("axes", explored.effects, columns, {.width = 160});
}

/// "no point is allowed: the smallest needs 90.1 GB per device (gpus 8)"
std::string no_point_text(const SearchSpace& space, const ExplorationResult& explored) {
  if (!explored.smallest) return "no point is allowed\n";
  const Point& least = explored.points[*explored.smallest];
  return fmt::format(
      "no point is allowed: the smallest needs {} per device ({})\n",
      explore::format(Figure::memory, static_cast<double>(least.predicted().memory.total.count())),
      printable(space.words(space.at(least.number))));
}

}  // namespace

void state_search_space(report::Answer& answer, const SearchSpace& space,
                        const ExplorationResult& explored, std::size_t rows) {
  answer.row("space", "combinations", space.combinations(), space_text(space));
  answer.row("evaluated", "points", explored.points.size(), evaluated_points_text(explored));
  answer.field("evaluated", explored.evaluated).field("out_of_date", explored.out_of_date);
  if (explored.out_of_date > 0)
    answer.line("stored", out_of_date_text(explored.out_of_date, "point"));
  answer.field("rejected", explored.refused).field("fitting", explored.fitting);
  answer.field("feasible", explored.best.size()).field("too_large", explored.too_large);
  answer.field("may_not_fit", explored.fitting_uncertain + explored.too_large_uncertain);
  answer.field("not_estimated", explored.needs_simulation).field("failed", explored.failed);
  if (answer.is_json()) state_search_check(answer, space, explored.space_check);
  if (explored.best.empty()) answer.block(no_point_text(space, explored));
  state_points(answer, space, explored, rows);
  state_evaluation(answer, explored);
  state_effects(answer, space, explored);
  state_competitors(answer, space, explored);
  state_numbers(answer, "illegal_by_rule", explored.illegal);
  state_numbers(answer, "excluded_by_constraint", explored.violated);
  state_rejections(answer, "points", "not allowed because", rejected_points(explored));
}

}  // namespace orrery::present
