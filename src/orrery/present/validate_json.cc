// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/validate_text.h"
#include "orrery/report/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using validate::ErrorSummary;

namespace {

void write_errors(JsonWriter& json, const ErrorSummary& errors) {
  json.field("points", errors.points)
      .field("median_error", errors.median)
      .field("mean_error", errors.mean)
      .field("p90_error", errors.p90)
      .field("signed_median_error", errors.signed_median)
      .field("with_interval", errors.banded)
      .field("inside_share", errors.inside)
      .field("interval_half_width_ratio", errors.half_width);
}

void write_point(JsonWriter& json, const validate::MeasuredPoint& point,
                 const validate::Prediction& told) {
  json.begin_object().field("id", point.id).field("source", point.source);
  json.field("model", point.model).key("measured_s");
  point.seconds > 0 ? json.value(point.seconds) : json.null();
  if (!told.why_not.empty()) {
    json.field("reason", told.why_not).end_object();
    return;
  }
  json.field("predicted_s", told.seconds)
      .field("error_ratio", told.error(point))
      .key("predicted_range_s");
  if (told.band) {
    json.begin_array().value(told.band->first).value(told.band->second).end_array();
  } else {
    json.null();
  }
  json.key("point_traits").begin_object();
  for (const auto& [name, value] : told.traits) json.field(name, value);
  json.end_object().key("assumed").begin_array();
  for (const std::string& one : point.assumed) json.value(one);
  json.end_array().end_object();
}

void write_groups(JsonWriter& json, const Validation& v) {
  json.key("by_trait").begin_array();
  for (const validate::ErrorGroup& group : v.board.groups) {
    json.begin_object().field("trait", group.trait).field("trait_value", group.value);
    write_errors(json, group.errors);
    json.end_object();
  }
  json.end_array();
}

void write_factors(JsonWriter& json, const Validation& v) {
  json.key("factors").begin_array();
  for (const validate::FittedFactor& one : v.factors)
    json.begin_object()
        .field("device", one.device)
        .field("bits", one.bits)
        .field("factor", one.factor)
        .field("low_error", one.least)
        .field("high_error", one.most)
        .field("points", one.points)
        .field("sources", one.sources)
        .end_object();
  json.end_array();
}

void write_rankings(JsonWriter& json, const Validation& v) {
  json.key("rankings").begin_array();
  for (const validate::Ranking& one : v.board.rankings)
    json.begin_object()
        .field("what", one.what)
        .field("plans", one.plans)
        .field("measured_best", one.measured_best)
        .field("predicted_best", one.predicted_best)
        .field("place", one.place)
        .field("slowdown_ratio", one.cost)
        .end_object();
  json.end_array();
}

}  // namespace

std::string validate_json(const Validation& v) {
  return report::envelope("validate", v.findings, [&](JsonWriter& json) {
    json.begin_object().key("overall").begin_object();
    write_errors(json, v.board.all);
    json.end_object().key("equal_sources").begin_object();
    write_errors(json, v.board.by_source);
    json.end_object().key("threshold_ratio");
    v.threshold ? json.value(*v.threshold) : json.null();
    json.field("exceeds_threshold", v.beyond());
    write_groups(json, v);
    json.key("ablations").begin_array();
    for (const Validation::Without& one : v.without) {
      json.begin_object().field("effect", one.effect).field("changed_points", one.changed);
      write_errors(json, one.errors);
      json.end_object();
    }
    json.end_array();
    write_factors(json, v);
    write_rankings(json, v);
    json.key("not_predicted").begin_array();
    for (const auto& [reason, points] : v.board.not_told)
      json.begin_object().field("reason", reason).field("points", points).end_object();
    json.end_array().key("predictions").begin_array();
    for (std::size_t i = 0; i < v.points.size(); ++i)
      write_point(json, v.points[i], v.predictions[i]);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
