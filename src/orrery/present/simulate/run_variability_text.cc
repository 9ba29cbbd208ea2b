// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/run_variability_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/nested_bars.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using study::StepSpread;
using study::VariabilityAnswer;

namespace {

std::string with_cost(const VariabilityAnswer& answer, Time step) {
  return fmt::format("{} ({})", format_time(step), relative_change(answer.without, step));
}

std::string how_drawn(const VariabilityAnswer& answer) {
  std::string text =
      fmt::format("{} of {}, seed {}", plural(static_cast<std::uint64_t>(answer.draws), "draw"),
                  plural(answer.ranks, "rank"), answer.seed);
  if (answer.same_fleet) text += "; one fleet, whose ranks keep their speeds";
  return text;
}

std::string how_worked_out(const VariabilityAnswer& answer) {
  if (answer.simulated) return "every draw was simulated";
  std::string text = "fast path: ";
  text += answer.stages == 1
              ? "the slowest rank's factor decides"
              : fmt::format("the worst of {} decides, by the slowest rank of each of {}",
                            plural(answer.replicas, "replica"), plural(answer.stages, "stage"));
  return text + "; the step's response is simulated";
}

std::string verified_text(const VariabilityAnswer& answer) {
  double worst = 0;
  for (const study::VerifiedDraw& one : answer.verified) {
    const double off = static_cast<double>((one.fast - one.simulated).count()) /
                       static_cast<double>(one.simulated.count());
    if (std::abs(off) >= std::abs(worst)) worst = off;
  }
  return fmt::format("{} simulated rank by rank: the fast path is off by {:+.2f} % at most",
                     plural(answer.verified.size(), "draw"), 100 * worst);
}

std::string parts_text(const VariabilityAnswer& answer, report::Style style) {
  if (answer.parts.empty()) return "";
  report::Table table({{"alone"}, {"mean", true}, {"", true}, {"p95", true}, {"", true}});
  for (const study::PartCost& part : answer.parts)
    table.row({part.part, format_time(part.mean), relative_change(answer.without, part.mean),
               format_time(part.p95), relative_change(answer.without, part.p95)});
  return "\n" + table.text(style);
}

std::string scale_text(const VariabilityAnswer& answer, report::Style style) {
  if (answer.scale.empty()) return "";
  report::Table table({{"ranks", true},
                       {"slowest rank", true},
                       {"step, mean", true},
                       {"", true},
                       {"p95", true},
                       {"", true}});
  for (const study::ScaledSpread& one : answer.scale)
    table.row({count(one.ranks) + (one.ranks == answer.ranks ? " *" : ""),
               fmt::format("x {:.3f}", one.slowest), format_time(one.mean),
               relative_change(answer.without, one.mean), format_time(one.p95),
               relative_change(answer.without, one.p95)});
  return "\nwith more replicas or fewer (* this job), the step without variability as here\n" +
         table.text(style);
}

void write_spread(JsonWriter& json, std::string_view key, const StepSpread& spread) {
  json.key(key).begin_object();
  json.nanoseconds("mean", spread.mean).nanoseconds("median", spread.median);
  json.nanoseconds("p95", spread.p95).nanoseconds("p99", spread.p99);
  json.nanoseconds("min", spread.least).nanoseconds("max", spread.most).end_object();
}

void write_response(JsonWriter& json, const study::StepResponse& response) {
  const auto numbers = [&](std::string_view key, const std::vector<double>& list) {
    json.key(key).begin_array();
    for (const double number : list) json.value(number);
    json.end_array();
  };
  json.key("response").begin_object();
  numbers("factor_ratios", response.factors);
  numbers("network_ratios", response.networks);
  json.key("steps_ns").begin_array();
  for (const Time step : response.steps) json.nanoseconds(step);
  json.end_array();
  numbers("stage_ratios", response.alone);
  numbers("fill_ratios", response.fill_growth);
  json.end_object();
}

}  // namespace

std::string variability_text(const VariabilityAnswer& answer, report::Style style) {
  report::Sheet sheet(style, 16);
  sheet.line(style.strong(printable(
      fmt::format("{} on {}, {}", answer.workload, answer.cluster, plural(answer.ranks, "rank")))));
  sheet.add("variability", printable(answer.variability.name));
  sheet.add("drawn", how_drawn(answer));
  if (answer.recorded)
    sheet.add("varies", fmt::format("what ranks compute, {:.1f} % of the step in the mean; the "
                                    "hosts of recorded devices do not",
                                    100 * answer.computing));
  sheet.add("without it", format_time(answer.without));
  sheet.add("mean", with_cost(answer, answer.steps.mean));
  sheet.add("median", with_cost(answer, answer.steps.median));
  sheet.add("p95", with_cost(answer, answer.steps.p95));
  sheet.add("p99", with_cost(answer, answer.steps.p99));
  if (answer.closed_form)
    sheet.add(
        "closed form",
        fmt::format("mean {}, p95 {}, p99 {}", format_time(answer.closed_form->mean),
                    format_time(answer.closed_form->p95), format_time(answer.closed_form->p99)));
  sheet.add("no stragglers", fmt::format("{}: every rank as quick as its draw's median",
                                         with_cost(answer, answer.without_stragglers)));
  sheet.add(
      "slowest rank",
      fmt::format("takes {:.3f} times as long (mean; p95 {:.3f}, p99 {:.3f}); were it as quick "
                  "as the median, the step would take {} less",
                  answer.slowest_mean, answer.slowest_p95, answer.slowest_p99,
                  format_time(std::max(Time{}, answer.steps.mean - answer.without_slowest))));
  sheet.add("worked out", how_worked_out(answer));
  if (!answer.verified.empty()) sheet.add("verified", verified_text(answer));
  std::string text = sheet.text() + parts_text(answer, style) + scale_text(answer, style);
  report::Sheet more(style, 16);
  report::add_findings(more, answer.findings, style);
  return more.text().empty() ? text : text + "\n" + more.text();
}

std::string variability_json(const VariabilityAnswer& answer) {
  return report::envelope("run", answer.findings, [&](JsonWriter& json) {
    json.begin_object().field("workload_name", std::string_view(answer.workload));
    json.field("cluster", std::string_view(answer.cluster)).field("ranks", answer.ranks);
    json.nanoseconds("step", answer.without).key("variability").begin_object();
    json.field("name", std::string_view(answer.variability.name));
    json.field("source", std::string_view(answer.variability.source));
    json.field("draws", answer.draws).field("seed", answer.seed);
    json.field("same_fleet", answer.same_fleet).field("fully_simulated", answer.simulated);
    if (answer.recorded) json.field("compute_share", answer.computing);
    json.field("stages", answer.stages).field("replicas", answer.replicas);
    write_spread(json, "step_spread", answer.steps);
    if (answer.closed_form) write_spread(json, "closed_form_spread", *answer.closed_form);
    json.nanoseconds("no_stragglers", answer.without_stragglers);
    json.nanoseconds("without_slowest", answer.without_slowest);
    json.key("slowest_spread").begin_object().field("mean_ratio", answer.slowest_mean);
    json.field("p95_ratio", answer.slowest_p95).field("p99_ratio", answer.slowest_p99).end_object();
    json.key("contributions").begin_array();
    for (const study::PartCost& part : answer.parts)
      json.begin_object()
          .field("part", std::string_view(part.part))
          .nanoseconds("mean", part.mean)
          .nanoseconds("p95", part.p95)
          .end_object();
    json.end_array().key("scale").begin_array();
    for (const study::ScaledSpread& one : answer.scale)
      json.begin_object()
          .field("ranks", one.ranks)
          .field("slowest_factor", one.slowest)
          .nanoseconds("mean", one.mean)
          .nanoseconds("p95", one.p95)
          .end_object();
    json.end_array().key("verified_draws").begin_array();
    for (const study::VerifiedDraw& one : answer.verified)
      json.begin_object()
          .field("draw", one.draw)
          .nanoseconds("simulated", one.simulated)
          .nanoseconds("response", one.fast)
          .end_object();
    json.end_array();
    if (!answer.simulated) write_response(json, answer.response);
    json.end_object().end_object();
  });
}

std::string variability_svg(const VariabilityAnswer& answer) {
  const auto cost = [&](Time step) {
    return static_cast<double>((step - answer.without).count()) /
           static_cast<double>(std::max(answer.without, Time(1)).count());
  };
  report::NestedBars bars{
      fmt::format("{} on {}: {}", answer.workload, answer.cluster, answer.variability.name),
      "how much longer a step takes than without variability: mean, and behind it p95",
      {}};
  for (const study::ScaledSpread& one : answer.scale)
    bars.bars.push_back(
        {plural(one.ranks, "rank") + (one.ranks == answer.ranks ? " (this job)" : ""),
         cost(one.mean), cost(one.p95), "scale"});
  if (bars.bars.empty())
    for (const study::PartCost& part : answer.parts)
      bars.bars.push_back({part.part, cost(part.mean), cost(part.p95), part.part});
  if (bars.bars.empty())
    bars.bars.push_back(
        {plural(answer.ranks, "rank"), cost(answer.steps.mean), cost(answer.steps.p95), "scale"});
  return report::nested_bars_svg(bars);
}

}  // namespace orrery::present
