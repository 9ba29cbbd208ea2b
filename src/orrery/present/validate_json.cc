// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/validate_text.h"
#include "orrery/report/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using validate::ErrorSummary;

namespace {

void write_errors(JsonWriter& json, const ErrorSummary& errors) {
  json.field("points", errors.points)
      .field("median", errors.median)
      .field("mean", errors.mean)
      .field("p90", errors.p90)
      .field("signed_median", errors.signed_median)
      .field("banded", errors.banded)
      .field("inside", errors.inside)
      .field("half_width", errors.half_width);
}

void write_point(JsonWriter& json, const validate::MeasuredPoint& point,
                 const validate::Prediction& told) {
  json.begin_object().field("id", point.id).field("source", point.source);
  json.field("model", point.model).key("measured_s");
  point.seconds > 0 ? json.value(point.seconds) : json.null();
  if (!told.why_not.empty()) {
    json.field("why_not", told.why_not).end_object();
    return;
  }
  json.field("predicted_s", told.seconds).field("error", told.error(point)).key("band_s");
  if (told.band) {
    json.begin_array().value(told.band->first).value(told.band->second).end_array();
  } else {
    json.null();
  }
  json.key("traits").begin_object();
  for (const auto& [name, value] : told.traits) json.field(name, value);
  json.end_object().key("assumed").begin_array();
  for (const std::string& one : point.assumed) json.value(one);
  json.end_array().end_object();
}

void write_groups(JsonWriter& json, const Validation& v) {
  json.key("groups").begin_array();
  for (const validate::ErrorGroup& group : v.board.groups) {
    json.begin_object().field("trait", group.trait).field("value", group.value);
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
        .field("least", one.least)
        .field("most", one.most)
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
        .field("cost", one.cost)
        .end_object();
  json.end_array();
}

}  // namespace

std::string validate_json(const Validation& v) {
  return report::envelope("validate", v.findings, [&](JsonWriter& json) {
    json.begin_object().key("all").begin_object();
    write_errors(json, v.board.all);
    json.end_object().key("sources_alike").begin_object();
    write_errors(json, v.board.by_source);
    json.end_object().key("threshold");
    v.threshold ? json.value(*v.threshold) : json.null();
    json.field("beyond", v.beyond());
    write_groups(json, v);
    json.key("without").begin_array();
    for (const Validation::Without& one : v.without) {
      json.begin_object().field("effect", one.effect).field("changed", one.changed);
      write_errors(json, one.errors);
      json.end_object();
    }
    json.end_array();
    write_factors(json, v);
    write_rankings(json, v);
    json.key("not_predicted").begin_array();
    for (const auto& [reason, points] : v.board.not_told)
      json.begin_object().field("reason", reason).field("points", points).end_object();
    json.end_array().key("points").begin_array();
    for (std::size_t i = 0; i < v.points.size(); ++i)
      write_point(json, v.points[i], v.predictions[i]);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
