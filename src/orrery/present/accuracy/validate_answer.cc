// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/accuracy/validate_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/scatter_plot.h"

namespace orrery::present {

using report::Value;
using validate::ErrorGroup;
using validate::ErrorSummary;

namespace {

std::string inside_text(const ErrorSummary& errors) {
  return errors.with_interval == 0 ? "-" : fmt::format("{:.0f} %", 100 * errors.coverage);
}

/// Columns of the errors that a row has as `member`. `brief`: people get only the errors.
template <class Row, class Member>
void add_errors(report::Columns<Row>& columns, const Member& member, bool brief = false) {
  const auto figure = [&](auto ErrorSummary::*one) {
    return [=](const Row& row) { return Value(std::invoke(member, row).*one); };
  };
  const auto add_error = [&](const char* title, const char* key, double ErrorSummary::*one,
                             const auto& text) {
    columns.add(title, key, figure(one),
                [=](const Row& row) { return text(std::invoke(member, row).*one); });
  };
  columns.field("mean_error", figure(&ErrorSummary::mean))
      .field("with_interval", figure(&ErrorSummary::with_interval))
      .field("interval_half_width_ratio", figure(&ErrorSummary::half_width));
  const auto points = figure(&ErrorSummary::points);
  const auto inside = figure(&ErrorSummary::coverage);
  brief ? columns.field("points", points).field("inside_share", inside)
        : columns.add("points", "points", points);
  add_error("median", "median_error", &ErrorSummary::median, error_text);
  add_error("90 %", "p90_error", &ErrorSummary::p90, error_text);
  add_error("signed", "signed_median_error", &ErrorSummary::signed_median, signed_share);
  if (!brief)
    columns.add("in interval", "inside_share", inside,
                [=](const Row& row) { return inside_text(std::invoke(member, row)); });
}

void state_overall(report::Answer& answer, const Validation& v) {
  const ErrorSummary& all = v.board.all;
  const report::Style style = answer.style();
  report::Columns<ErrorSummary> columns;
  add_errors(columns, std::identity());
  answer.object("overall", all, columns).object("equal_sources", v.board.by_source, columns);
  if (all.points == 0) {
    answer.title("no point could be predicted");
  } else {
    answer.first(style.strong(fmt::format("median error {}, 90th percentile {}",
                                          error_text(all.median), error_text(all.p90))) +
                 fmt::format(": {} of {} predicted, signed median {}", count(all.points),
                             plural(v.points.size(), "measured step"),
                             signed_share(all.signed_median)));
    if (all.with_interval > 0)
      answer.first(fmt::format(
          "{} of {} within the 80 % interval, whose median half-width is {} of the step",
          inside_text(all), plural(all.with_interval, "step"), error_text(all.half_width)));
  }
  if (v.threshold)
    answer.first((v.exceeds_threshold() ? style.bad("above") : style.good("not above")) +
                 fmt::format(" the threshold of {}", error_text(*v.threshold)));
  answer.field("threshold_ratio", v.threshold).field("exceeds_threshold", v.exceeds_threshold());
}

/// `name` is the text of the first column.
report::Columns<ErrorGroup> group_columns(std::string title,
                                          report::Columns<ErrorGroup>::GetText name) {
  report::Columns<ErrorGroup> columns;
  columns.show(std::move(title), std::move(name))
      .field("trait", &ErrorGroup::trait)
      .field("trait_value", &ErrorGroup::value);
  add_errors(columns, &ErrorGroup::errors);
  return columns;
}

/// For people: groups by some traits, and those that are biased.
void state_groups(report::Answer& answer, const Validation& v) {
  answer.rows("by_trait", v.board.groups, group_columns("", {}));
  const auto groups = [&](const auto& chosen) {
    std::vector<ErrorGroup> some;
    std::ranges::copy_if(v.board.groups, std::back_inserter(some), chosen);
    return some;
  };
  bool any = false;
  for (const std::string trait : {"source", "device and precision", "size", "kind"}) {
    const auto same = groups([&](const ErrorGroup& group) { return group.trait == trait; });
    if (same.size() <= (any ? 1 : 0)) continue;
    any = true;
    answer.table("", same, group_columns(trait, [](const auto& group) {
                   return group.value.empty() ? "-" : printable(group.value);
                 }));
  }
  // A trait that all points have is no group.
  const auto biased = groups([&](const ErrorGroup& group) {
    return group.errors.points >= validate::kMinGroupPoints &&
           group.errors.points < v.board.all.points && std::abs(group.errors.signed_median) > 0.05;
  });
  answer.table("", biased, group_columns("bias above 5 %", [](const auto& group) {
                 return group.trait + " " + printable(group.value);
               }));
}

struct PredictedPoint {
  const validate::MeasuredPoint& point;
  const validate::PointPrediction& prediction;
  std::size_t number = 0;
  const Validation& all;
};

/// Null where the point has no prediction.
template <class Get>
report::Columns<PredictedPoint>::GetValue where_predicted(const Get& get) {
  return [get](const PredictedPoint& row) {
    return row.prediction.skip_reason.empty() ? get(row) : Value();
  };
}

void write_range(report::JsonWriter& json, std::string_view key,
                 const std::optional<std::pair<double, double>>& range) {
  json.key(key);
  if (range)
    json.begin_array().value(range->first).value(range->second).end_array();
  else
    json.null();
}

void write_prediction(report::JsonWriter& json, const PredictedPoint& row) {
  if (!row.prediction.skip_reason.empty()) {
    json.field("reason", row.prediction.skip_reason);
    return;
  }
  write_range(json, "predicted_range_s", row.prediction.interval);
  json.key("point_traits").begin_object();
  for (const auto& [name, value] : row.prediction.traits) json.field(name, value);
  report::write_values(json.end_object().key("assumed"), row.point.assumed);
  if (!row.all.left_out.empty()) {
    write_range(json, "models_range_s", row.prediction.models_interval);
    json.key("left_out_s").begin_object();
    for (std::size_t k = 0; k < validate::kLeftOutTraits.size(); ++k)
      json.field(validate::kLeftOutTraits[k], row.all.left_out[row.number][k]);
    json.end_object();
  }
  if (row.all.without.empty()) return;
  json.key("without_s").begin_object();
  for (const Validation::Ablation& one : row.all.without)
    if (one.changes(row.prediction, row.number)) json.field(one.effect, one.seconds[row.number]);
  json.end_object();
}

/// All points for programs, those with the largest errors for people.
void state_predictions(report::Answer& answer, const Validation& v) {
  const auto seconds = [](double s) { return Value(s).shown(seconds_text(s)); };
  report::Columns<PredictedPoint> columns;
  columns.add("largest errors", "id", [](const auto& row) { return row.point.id; })
      .field("source", [](const auto& row) { return row.point.source; })
      .field("model", [](const auto& row) { return row.point.model; })
      .add("measured", "measured_s",
           [=](const auto& row) {
             return row.point.seconds > 0 ? seconds(row.point.seconds) : Value();
           })
      .add("predicted", "predicted_s",
           where_predicted([=](const auto& row) { return seconds(row.prediction.seconds); }))
      .omit_null()
      .add("", "error_ratio", where_predicted([](const auto& row) {
             const double error = row.prediction.error(row.point);
             return Value(error).shown(signed_share(error));
           }))
      .omit_null()
      .members(write_prediction);
  std::vector<PredictedPoint> rows;
  for (const std::size_t i : answer.is_json() ? row_numbers(v.points.size()) : v.board.worst)
    rows.push_back({v.points[i], v.predictions[i], i, v});
  answer.table("predictions", rows, columns);
}

void state_ablations(report::Answer& answer, const Validation& v) {
  using Ablation = Validation::Ablation;
  constexpr const char* kNone = "(none)";
  std::vector<Ablation> rows = v.without;
  if (!answer.is_json() && !rows.empty()) rows.insert(rows.begin(), {kNone, v.board.all});
  report::Columns<Ablation> columns;
  columns.add("without", "effect", &Ablation::effect);
  add_errors(columns, &Ablation::errors, true);
  columns.add("changed", "changed_points", [](const auto& one) {
    return Value(one.changed).shown(one.effect == kNone ? "" : plural(one.changed, "point"));
  });
  answer.table("ablations", rows, columns);
}

void state_factors(report::Answer& answer, const Validation& v) {
  report::Columns<validate::FittedFactor> columns;
  columns
      .add("in-step kernels of", "device",
           [](const auto& one) {
             return Value(one.device)
                 .shown(one.device.empty() ? "any other" : printable(one.device));
           })
      .add("bits", "bits", &validate::FittedFactor::bits)
      .add("factor", "factor",
           [](const auto& one) {
             return Value(one.factor).shown(fmt::format("x {:.3f}", one.factor));
           })
      .show_number("80 % interval",
                   [](const auto& one) {
                     return fmt::format("{:.2f} to {:.2f}", one.factor * (1 + one.lower),
                                        one.factor * (1 + one.upper));
                   })
      .field("low_error", &validate::FittedFactor::lower)
      .field("high_error", &validate::FittedFactor::upper)
      .add("points", "points", &validate::FittedFactor::points)
      .add("sources", "sources", &validate::FittedFactor::sources);
  answer.table("factors", v.factors, columns);
  if (!v.factors.empty())
    answer.note("the steps above are predicted with factors fitted to the other sources");
}

void state_rankings(report::Answer& answer, const Validation& v) {
  const auto& rankings = v.board.rankings;
  if (!rankings.empty())
    answer.block(
        answer.style().strong("plan ranking") +
        fmt::format(
            ": in {} of at least {} plans, the measured best is among the predicted top three in "
            "{}; the predicted best is at most 5 % slower than it in {}\n",
            plural(rankings.size(), "choice"), validate::kMinRankingPlans,
            std::ranges::count_if(rankings, [](const auto& one) { return one.rank_of_best <= 3; }),
            std::ranges::count_if(rankings, [](const auto& one) { return one.regret <= 0.05; })));
  report::Columns<validate::Ranking> columns;
  columns.field("what", &validate::Ranking::what)
      .field("plans", &validate::Ranking::plans)
      .field("measured_best", &validate::Ranking::measured_best)
      .field("predicted_best", &validate::Ranking::predicted_best)
      .field("place", &validate::Ranking::rank_of_best)
      .field("slowdown_ratio", &validate::Ranking::regret);
  answer.table("rankings", rankings, columns);
}

void state_unpredicted(report::Answer& answer, const Validation& v) {
  report::Columns<std::pair<std::string, std::size_t>> columns;
  columns.add("not predicted because", "reason", [](const auto& row) { return row.first; })
      .add("points", "points", [](const auto& row) { return row.second; });
  answer.table("not_predicted", v.board.unpredicted, columns);
}

}  // namespace

void state_validation(report::Answer& answer, const Validation& validation) {
  state_overall(answer, validation);
  state_groups(answer, validation);
  state_predictions(answer, validation);
  state_ablations(answer, validation);
  state_factors(answer, validation);
  state_rankings(answer, validation);
  state_unpredicted(answer, validation);
  answer.findings(validation.findings);
}

std::string validate_svg(const Validation& v) {
  report::Scatter scatter;
  scatter.title = "Predicted and measured step times";
  scatter.across = "measured";
  scatter.up = "predicted";
  for (const ErrorGroup& group : v.board.groups) {
    if (group.trait == "device") scatter.series.push_back(group.value);
    if (group.trait != "device and precision") continue;
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = group.value;
    panel.note = fmt::format("median error {}, n = {}", error_text(group.errors.median),
                             count(group.errors.points));
    for (std::size_t i = 0; i < v.points.size(); ++i) {
      const validate::PointPrediction& prediction = v.predictions[i];
      if (prediction.trait(group.trait) != group.value) continue;
      const auto series =
          std::find(scatter.series.begin(), scatter.series.end(), prediction.trait("device"));
      panel.points.push_back({v.points[i].seconds, prediction.seconds,
                              static_cast<std::uint32_t>(series - scatter.series.begin())});
    }
  }
  return report::scatter_svg(scatter);
}

}  // namespace orrery::present
