// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/run_variability_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/nested_bars.h"

namespace orrery::present {

using study::StepSpread;
using study::VariabilityAnswer;

namespace {

std::string with_cost(const VariabilityAnswer& result, Time step) {
  return fmt::format("{} ({})", format_time(step), relative_change(result.without, step));
}

std::string sampling_text(const VariabilityAnswer& result) {
  std::string text =
      fmt::format("{} of {}, seed {}", plural(static_cast<std::uint64_t>(result.draws), "draw"),
                  plural(result.ranks, "rank"), result.seed);
  if (result.same_fleet) text += "; the speed of each rank is fixed";
  return text;
}

std::string method_text(const VariabilityAnswer& result) {
  if (result.simulated) return "every draw is simulated";
  std::string text = "fast path: ";
  text += result.stages == 1
              ? "the slowest rank's factor decides"
              : fmt::format("the slowest of {} decides, each by the slowest rank in each of {}",
                            plural(result.replicas, "replica"), plural(result.stages, "stage"));
  return text + "; the response of the step is simulated";
}

std::string verified_text(const VariabilityAnswer& result) {
  double worst = 0;
  for (const study::VerifiedDraw& draw : result.verified) {
    const double error = static_cast<double>((draw.fast - draw.simulated).count()) /
                         static_cast<double>(draw.simulated.count());
    if (std::abs(error) >= std::abs(worst)) worst = error;
  }
  return fmt::format("{} simulated rank by rank: the largest error of the fast path is {:+.2f} %",
                     plural(result.verified.size(), "draw"), 100 * worst);
}

void state_spread(report::Answer& answer, std::string_view key, const StepSpread& spread) {
  answer.object(key, [&] {
    answer.field("mean_ns", spread.mean).field("median_ns", spread.median);
    answer.field("p95_ns", spread.p95).field("p99_ns", spread.p99);
    answer.field("min_ns", spread.least).field("max_ns", spread.most);
  });
}

void state_steps(report::Answer& answer, const VariabilityAnswer& result) {
  const StepSpread& steps = result.steps;
  answer.line("without it", format_time(result.without));
  answer.line("mean", with_cost(result, steps.mean))
      .line("median", with_cost(result, steps.median));
  answer.line("p95", with_cost(result, steps.p95)).line("p99", with_cost(result, steps.p99));
  state_spread(answer, "step_spread", result.steps);
  if (!result.closed_form) return;
  const StepSpread& closed = *result.closed_form;
  answer.line("closed form", fmt::format("mean {}, p95 {}, p99 {}", format_time(closed.mean),
                                         format_time(closed.p95), format_time(closed.p99)));
  state_spread(answer, "closed_form_spread", closed);
}

/// Mean and 95th percentile, each followed by its cost.
template <class Row>
void add_costs(report::Columns<Row>& columns, std::string mean, Time without) {
  const auto cost = [without](Time Row::*step) {
    return [=](const Row& row) { return relative_change(without, row.*step); };
  };
  columns.add(std::move(mean), "mean_ns", [](const Row& row) { return row.mean; })
      .show_number("", cost(&Row::mean))
      .add("p95", "p95_ns", [](const Row& row) { return row.p95; })
      .show_number("", cost(&Row::p95));
}

/// The cost of each part alone, and of other numbers of replicas.
void state_costs(report::Answer& answer, const VariabilityAnswer& result) {
  report::Columns<study::PartCost> parts;
  parts.add("alone", "part", [](const auto& part) { return part.part; });
  add_costs(parts, "mean", result.without);
  answer.table("contributions", result.parts, parts);

  report::Columns<study::ScaledSpread> scale;
  scale
      .add("ranks", "ranks", &study::ScaledSpread::ranks,
           [&](const auto& size) {
             return count(size.ranks) + (size.ranks == result.ranks ? " *" : "");
           })
      .add("slowest rank", "slowest_factor", &study::ScaledSpread::slowest,
           [](const auto& size) { return fmt::format("x {:.3f}", size.slowest); });
  add_costs(scale, "step, mean", result.without);
  if (!result.scale.empty())
    answer.heading(
        "with other numbers of replicas (* this job); the step without variability is unchanged");
  answer.table("scale", result.scale, scale);
}

void state_verified(report::Answer& answer, const VariabilityAnswer& result) {
  if (!result.verified.empty()) answer.line("verified", verified_text(result));
  report::Columns<study::VerifiedDraw> columns;
  columns.field("draw", [](const auto& draw) { return draw.draw; })
      .field("simulated_ns", [](const auto& draw) { return draw.simulated; })
      .field("response_ns", [](const auto& draw) { return draw.fast; });
  answer.table("verified_draws", result.verified, columns);
}

void state_slowest(report::Answer& answer, const VariabilityAnswer& result) {
  answer.row("no stragglers", "no_stragglers_ns", result.without_stragglers,
             fmt::format("{}: every rank as fast as its draw's median",
                         with_cost(result, result.without_stragglers)));
  answer.field("without_slowest_ns", result.without_slowest);
  answer.line(
      "slowest rank",
      fmt::format("{:.3f} times the nominal duration (mean; p95 {:.3f}, p99 {:.3f}); at "
                  "median speed it would save {}",
                  result.slowest_mean, result.slowest_p95, result.slowest_p99,
                  format_time(std::max(Time{}, result.steps.mean - result.without_slowest))));
  answer.object("slowest_spread", [&] {
    answer.field("mean_ratio", result.slowest_mean).field("p95_ratio", result.slowest_p95);
    answer.field("p99_ratio", result.slowest_p99);
  });
}

void state_distribution(report::Answer& answer, const VariabilityAnswer& result) {
  answer.row("variability", "name", result.variability.name);
  answer.field("source", result.variability.source).field("draws", result.draws);
  answer.field("seed", result.seed).field("same_fleet", result.same_fleet);
  answer.line("sampled", sampling_text(result));
  if (result.recorded)
    answer.row(
        "varies", "compute_share", result.computing,
        fmt::format(
            "compute of ranks, {:.1f} % of the step on average; not the hosts of recorded devices",
            100 * result.computing));
  state_steps(answer, result);
  state_slowest(answer, result);
  answer.row("method", "fully_simulated", result.simulated, method_text(result));
  answer.field("stages", result.stages).field("replicas", result.replicas);
  state_verified(answer, result);
  state_costs(answer, result);
  if (result.simulated) return;
  const study::StepResponse& response = result.response;
  answer.object("response", [&] {
    answer.list("factor_ratios", response.factors).list("network_ratios", response.networks);
    answer.list("steps_ns", response.steps);
    answer.list("stage_ratios", response.alone).list("fill_ratios", response.fill_growth);
  });
}

}  // namespace

void state_variability(report::Answer& answer, const VariabilityAnswer& result) {
  answer.label_width(16).title(printable(
      fmt::format("{} on {}, {}", result.workload, result.cluster, plural(result.ranks, "rank"))));
  answer.field("workload_name", result.workload).field("cluster", result.cluster);
  answer.field("ranks", result.ranks).field("step_ns", result.without);
  answer.object("variability", [&] { state_distribution(answer, result); });
  answer.end_section();
  answer.findings(result.findings);
}

std::string variability_svg(const VariabilityAnswer& result) {
  const auto cost = [&](Time step) {
    return static_cast<double>((step - result.without).count()) /
           static_cast<double>(std::max(result.without, Time(1)).count());
  };
  report::NestedBars bars{
      fmt::format("{} on {}: {}", result.workload, result.cluster, result.variability.name),
      "increase of the step time by variability: mean (front) and p95 (back)",
      {}};
  for (const study::ScaledSpread& one : result.scale)
    bars.bars.push_back(
        {plural(one.ranks, "rank") + (one.ranks == result.ranks ? " (this job)" : ""),
         cost(one.mean), cost(one.p95), "scale"});
  if (bars.bars.empty())
    for (const study::PartCost& part : result.parts)
      bars.bars.push_back({part.part, cost(part.mean), cost(part.p95), part.part});
  if (bars.bars.empty())
    bars.bars.push_back(
        {plural(result.ranks, "rank"), cost(result.steps.mean), cost(result.steps.p95), "scale"});
  return report::nested_bars_svg(bars);
}

}  // namespace orrery::present
