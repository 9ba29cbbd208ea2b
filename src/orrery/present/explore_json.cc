// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "orrery/explore/configuration.h"
#include "orrery/explore/evaluator.h"
#include "orrery/present/checked_text.h"
#include "orrery/present/explore_rivals.h"
#include "orrery/present/explore_text.h"
#include "orrery/report/envelope.h"

namespace orrery::present {

using explore::AxisEffect;
using explore::Explored;
using explore::Point;
using explore::SearchSpace;

namespace {

void write_figures(report::JsonWriter& json, const Point& point) {
  json.key("figure_values").begin_object();
  for (const explore::FigureInfo& one : explore::figures())
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
  for (const std::string& one : how.megatron.without) json.value(one);
  json.end_array().end_object();
}

void write_point(report::JsonWriter& json, const SearchSpace& space, const Point& point,
                 explore::Evaluator& evaluator) {
  const explore::At at = space.at(point.number);
  json.begin_object().key("at").begin_object();
  for (std::size_t a = 0; a < at.size(); ++a)
    json.field(space.axes[a].name, space.axes[a].labels[at[a]]);
  json.end_object();
  json.field("front", point.front).field("plan", point.told().plan);
  if (point.columns && point.columns->step > 0)
    json.nanoseconds("closed_form", Time(point.columns->step));
  if (point.estimate && point.estimate->step > 0)
    json.nanoseconds("estimate", Time(point.estimate->step));
  if (point.simulation) json.nanoseconds("simulated", Time(point.simulation->step));
  if (point.simulation && point.simulation->shares) {
    for (std::size_t i = 0; i < search::kStepParts.size(); ++i)
      json.field(search::kStepParts[i].share_key, (*point.simulation->shares)[i]);
  }
  write_figures(json, point);
  // It was asked before, so that it can be put together again.
  if (const auto how = explore::configuration_of(space, point.number, evaluator))
    write_configuration(json, *how);
  json.end_object();
}

void write_effects(report::JsonWriter& json, const Explored& explored) {
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
          .field("state", config::word_of(other.state))
          .field("has_feasible_point", other.allowed);
      if (other.allowed) json.field("change_ratio", other.change);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string explore_json(const SearchSpace& space, const Explored& explored, std::size_t rows) {
  explore::Evaluator evaluator(space);
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("combinations", space.combinations())
        .field("points", static_cast<std::int64_t>(explored.points.size()))
        .field("evaluated", static_cast<std::int64_t>(explored.found_out))
        .field("out_of_date", static_cast<std::int64_t>(explored.out_of_date))
        .field("rejected", static_cast<std::int64_t>(explored.refused))
        .field("fitting", static_cast<std::int64_t>(explored.fitting))
        .field("feasible", static_cast<std::int64_t>(explored.best.size()))
        .field("too_large", static_cast<std::int64_t>(explored.too_large))
        .field("not_estimated", static_cast<std::int64_t>(explored.not_told))
        .field("failed", static_cast<std::int64_t>(explored.failed))
        .field("simulated", static_cast<std::int64_t>(explored.simulations))
        .field("closed_form", static_cast<std::int64_t>(explored.in_columns))
        .field("estimated", static_cast<std::int64_t>(explored.played))
        .field("max_closed_form_error", explored.columns_off)
        .field("max_estimate_error", explored.worst_off)
        .key("space_check");
    write_checked(json, explored.checked);
    json.key("illegal_by_rule").begin_object();
    for (const auto& [rule, number] : explored.illegal)
      json.field(rule, static_cast<std::int64_t>(number));
    json.end_object().key("excluded_by_constraint").begin_object();
    for (const auto& [constraint, number] : explored.against)
      json.field(constraint, static_cast<std::int64_t>(number));
    json.end_object().key("best").begin_array();
    for (std::size_t i = 0; i < std::min(rows, explored.best.size()); ++i)
      write_point(json, space, explored.points[explored.best[i]], evaluator);
    json.end_array();
    write_effects(json, explored);
    write_rivals(json, space, explored);
    json.end_object();
  });
}

}  // namespace orrery::present
