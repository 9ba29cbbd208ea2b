// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/accuracy/validate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/quantity.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/scatter_plot.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using report::Table;
using validate::ErrorGroup;
using validate::ErrorSummary;

namespace {

std::string off(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string lean(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string inside(const ErrorSummary& errors) {
  return errors.banded == 0 ? "-" : fmt::format("{:.0f} %", 100 * errors.inside);
}

std::vector<std::string> row(std::string name, const ErrorSummary& errors) {
  return {std::move(name), count(errors.points),       off(errors.median),
          off(errors.p90), lean(errors.signed_median), inside(errors)};
}

Table error_table(std::string first) {
  return Table({{std::move(first)},
                {"points", true},
                {"median", true},
                {"90 %", true},
                {"signed", true},
                {"in band", true}});
}

std::string head_text(const Validation& v, report::Style style) {
  const ErrorSummary& all = v.board.all;
  std::string text;
  if (all.points == 0) {
    text = style.strong("no point could be predicted") + "\n";
  } else {
    text =
        style.strong(
            fmt::format("off by {} (median), {} for 90 %", off(all.median), off(all.p90))) +
        fmt::format(": {} of {}, signed {}\n", format_count(static_cast<std::int64_t>(all.points)),
                    plural(v.points.size(), "measured step"), lean(all.signed_median));
    if (all.banded > 0)
      text += fmt::format("{} of {} in the 80 % band, half of which is {} of a step (median)\n",
                          inside(all), plural(all.banded, "step"), off(all.half_width));
  }
  if (v.threshold)
    text += (v.exceeds_threshold() ? style.bad("above") : style.good("not above")) +
            fmt::format(" the threshold of {}\n", off(*v.threshold));
  return text;
}

std::string groups_text(const Validation& v, report::Style style) {
  std::string text;
  for (const char* trait : {"source", "device and precision", "size", "kind"}) {
    Table table = error_table(trait);
    std::size_t rows = 0;
    for (const ErrorGroup& group : v.board.groups) {
      if (group.trait != trait) continue;
      table.row(row(group.value.empty() ? "-" : printable(group.value), group.errors));
      ++rows;
    }
    if (rows > 1 || (rows == 1 && text.empty())) text += "\n" + table.text(style);
  }
  return text;
}

/// Groups of ten and more that lean to one side; what all points have in common is no group.
std::string leaning_text(const Validation& v, report::Style style) {
  Table table = error_table("leans by more than 5 %");
  for (const ErrorGroup& group : v.board.groups)
    if (group.errors.points >= validate::kMinGroupPoints &&
        group.errors.points < v.board.all.points && std::abs(group.errors.signed_median) > 0.05)
      table.row(row(group.trait + " " + printable(group.value), group.errors));
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string worst_text(const Validation& v, report::Style style) {
  Table table({{"most off"}, {"measured", true}, {"predicted", true}, {"", true}});
  for (const std::size_t i : v.board.worst) {
    const validate::PointPrediction& predicted = v.predictions[i];
    table.row({printable(v.points[i].id), seconds_text(v.points[i].seconds),
               seconds_text(predicted.seconds), lean(predicted.error(v.points[i]))});
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string without_text(const Validation& v, report::Style style) {
  if (v.without.empty()) return "";
  Table table({{"without"}, {"median", true}, {"90 %", true}, {"signed", true}, {"others", true}});
  table.row({"(nothing)", off(v.board.all.median), off(v.board.all.p90),
             lean(v.board.all.signed_median), ""});
  for (const Validation::Ablation& one : v.without)
    table.row({one.effect, off(one.errors.median), off(one.errors.p90),
               lean(one.errors.signed_median), plural(one.changed, "point")});
  return "\n" + table.text(style);
}

std::string factors_text(const Validation& v, report::Style style) {
  if (v.factors.empty()) return "";
  Table table({{"in a step, kernels of"},
               {"bits", true},
               {"take", true},
               {"80 % of steps say", true},
               {"points", true},
               {"sources", true}});
  for (const validate::FittedFactor& one : v.factors)
    table.row({one.device.empty() ? "any other" : printable(one.device),
               fmt::format("{}", one.bits), fmt::format("x {:.3f}", one.factor),
               fmt::format("{:.2f} to {:.2f}", one.factor * (1 + one.lower),
                           one.factor * (1 + one.upper)),
               count(one.points), count(one.sources)});
  return "\n" + table.text(style) +
         "steps above are told with factors that were fitted to other sources\n";
}

std::string rankings_text(const Validation& v, report::Style style) {
  if (v.board.rankings.empty()) return "";
  std::size_t among = 0, cheap = 0;
  for (const validate::Ranking& one : v.board.rankings) {
    if (one.place <= 3) ++among;
    if (one.cost <= 0.05) ++cheap;
  }
  return "\n" + style.strong("choosing a plan") +
         fmt::format(
             ": of {} with {} plans and more, the measured best is among the first three "
             "predicted for {}; the first costs at most 5 % more than it for {}\n",
             plural(v.board.rankings.size(), "choice"), validate::kMinRankingPlans, among, cheap);
}

std::string not_told_text(const Validation& v, report::Style style) {
  if (v.board.unpredicted.empty()) return "";
  Table table({{"not predicted, because"}, {"points", true}});
  for (const auto& [reason, points] : v.board.unpredicted)
    table.row({printable(reason), count(points)});
  return "\n" + table.text(style);
}

}  // namespace

std::string validate_text(const Validation& v, report::Style style) {
  std::string text = head_text(v, style) + groups_text(v, style) + leaning_text(v, style) +
                     worst_text(v, style) + without_text(v, style) + factors_text(v, style) +
                     rankings_text(v, style) + not_told_text(v, style);
  report::Sheet notes(style);
  report::add_findings(notes, v.findings, style);
  return notes.text().empty() ? text : text + "\n" + notes.text();
}

std::string validate_svg(const Validation& v) {
  report::Scatter scatter;
  scatter.title = "Steps, predicted against measured";
  scatter.across = "measured";
  scatter.up = "predicted";
  std::vector<std::string> devices;
  for (const ErrorGroup& group : v.board.groups) {
    if (group.trait == "device") scatter.series.push_back(group.value);
    if (group.trait != "device and precision") continue;
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = group.value;
    panel.note = fmt::format("off by {} (median), n = {}", off(group.errors.median),
                             count(group.errors.points));
    for (std::size_t i = 0; i < v.points.size(); ++i) {
      const validate::PointPrediction& predicted = v.predictions[i];
      if (predicted.trait(group.trait) != group.value) continue;
      const auto series =
          std::find(scatter.series.begin(), scatter.series.end(), predicted.trait("device"));
      panel.points.push_back({v.points[i].seconds, predicted.seconds,
                              static_cast<std::uint32_t>(series - scatter.series.begin())});
    }
  }
  return report::scatter_svg(scatter);
}

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
                 const validate::PointPrediction& predicted) {
  json.begin_object().field("id", point.id).field("source", point.source);
  json.field("model", point.model).key("measured_s");
  point.seconds > 0 ? json.value(point.seconds) : json.null();
  if (!predicted.skip_reason.empty()) {
    json.field("reason", predicted.skip_reason).end_object();
    return;
  }
  json.field("predicted_s", predicted.seconds)
      .field("error_ratio", predicted.error(point))
      .key("predicted_range_s");
  if (predicted.band) {
    json.begin_array().value(predicted.band->first).value(predicted.band->second).end_array();
  } else {
    json.null();
  }
  json.key("point_traits").begin_object();
  for (const auto& [name, value] : predicted.traits) json.field(name, value);
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
        .field("low_error", one.lower)
        .field("high_error", one.upper)
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
    json.field("exceeds_threshold", v.exceeds_threshold());
    write_groups(json, v);
    json.key("ablations").begin_array();
    for (const Validation::Ablation& one : v.without) {
      json.begin_object().field("effect", one.effect).field("changed_points", one.changed);
      write_errors(json, one.errors);
      json.end_object();
    }
    json.end_array();
    write_factors(json, v);
    write_rankings(json, v);
    json.key("not_predicted").begin_array();
    for (const auto& [reason, points] : v.board.unpredicted)
      json.begin_object().field("reason", reason).field("points", points).end_object();
    json.end_array().key("predictions").begin_array();
    for (std::size_t i = 0; i < v.points.size(); ++i)
      write_point(json, v.points[i], v.predictions[i]);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
