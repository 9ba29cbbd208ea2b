// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/text/split_bandwidth_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using split_bandwidth::SplitAnswer;
using split_bandwidth::SplitTrial;

namespace {

constexpr const char* kSplits[] = {"now", "equal", "best"};  // by SplitAnswer::Which

bool has_cost(const SplitAnswer& result) {
  return result.problem.objective == split_bandwidth::SplitObjective::time_cost;
}

/// Figures of a split: rows of the table for people, members of the split for programs.
report::Columns<SplitTrial> split_figures(const SplitAnswer& result) {
  report::Columns<SplitTrial> figures;
  for (std::size_t d = 0; d < result.dims.size(); ++d)
    figures.add(fmt::format("{}: {} {}", d, platform::name(result.dims[d].block),
                            format_count(result.dims[d].size)),
                "", [d](auto& split) { return split.bandwidth[d]; });
  figures.add("", "", [](auto&) { return ""; })
      .field("name", [&](auto& split) { return kSplits[&split - result.tried.data()]; })
      .members([](auto& json, auto& split) {
        report::Answer(json).list("dimension_bytes_per_s", split.bandwidth);
      })
      .add("communication, by formula", "comm_ns",
           [](auto& split) { return seconds_value(split.seconds); })
      .field("objective_value", [](auto& split) { return split.value; });
  if (const double best = result.tried[SplitAnswer::best].value; has_cost(result))
    figures.add("time x cost, over the best", "",
                [best](auto& split) { return fmt::format("{:.3f}", split.value / best); });
  figures.add("step, simulated", "step_ns", [](auto& split) { return split.step; })
      .add("… exposed communication", "exposed_comm_ns", [](auto& split) { return split.exposed; });
  return figures;
}

/// A column for each split.
void state_splits(report::Answer& answer, const SplitAnswer& result) {
  const auto figures = split_figures(result);
  answer.rows("splits", result.tried, figures);
  auto shown = figures.list();
  std::erase_if(shown, [](auto& figure) { return !figure.shown; });
  report::Columns<report::Column<SplitTrial>> columns;
  columns.show("dimension", [](auto& figure) { return figure.title; });
  for (std::size_t i = 0; i < result.tried.size(); ++i)
    columns.show_number(kSplits[i], [&split = result.tried[i]](auto& figure) {
      return figure.value(split).text();
    });
  answer.table("", shown, columns);
}

/// "8.62 % shorter than now"
std::string compared_with(const SplitTrial& best, const SplitTrial& other, std::string_view word) {
  const double more = seconds(best.step) / seconds(other.step) - 1;
  return fmt::format("{:.2f} % {} than {}", 100 * std::abs(more), more > 0 ? "longer" : "shorter",
                     word);
}

void state_objective(report::Answer& answer, const SplitAnswer& result) {
  const double fixed = result.problem.fixed_seconds;
  answer.field("total_bandwidth_bytes_per_s", result.problem.total)
      .field("fixed_ns", seconds_value(fixed))
      .field("objective_value", result.split.value)
      .field("objective_bound", result.split.bound);
  if (has_cost(result))
    answer.row(
        "objective", "objective", "time-cost",
        fmt::format("(compute time of a rank, {}, + its communication) x cost of the network",
                    seconds_text(fixed)));
  else
    answer.row("objective", "objective", "time", "communication time");
  answer.row("rank", "rank", result.traffic.rank,
             fmt::format("{}, which has the longest communication", result.traffic.rank));
  double gap = 1e-9;
  while (gap < result.split.gap()) gap *= 10;
  answer.line("proof", fmt::format("no split is better by more than {:.0e} of the objective", gap));
}

void state_traffic(report::Answer& answer, const SplitAnswer& result) {
  const auto& traffic = result.traffic;
  if (traffic.irregular_groups > 0)
    answer.line("simplified",
                fmt::format("{} of groups that are not a grid of the dimensions: as one ring",
                            plural(traffic.irregular_groups, "collective")));
  if (traffic.unknown > 0)
    answer.line("left out", fmt::format("{} of a type without a formula",
                                        plural(traffic.unknown, "collective")));
  answer.field("odd_groups", traffic.irregular_groups);
  answer.field("unknown_operations", traffic.unknown);
  report::Columns<platform::Dimension> dimensions;
  dimensions.field("block", [](auto& dim) { return platform::name(dim.block); })
      .field("size", [](auto& dim) { return dim.size; });
  answer.table("dimensions", result.dims, dimensions);
  report::Columns<split_bandwidth::CollectiveTraffic> demands;
  demands.field("repeats", [](auto& demand) { return demand.times; })
      .members([](auto& json, auto& demand) {
        report::Answer(json).list("dimension_bytes", demand.bytes);
      });
  answer.table("demands", result.problem.demands, demands);
}

}  // namespace

void state_split_bandwidth(report::Answer& answer, const SplitAnswer& result,
                           const std::string& file, const Findings& findings) {
  answer.title(fmt::format("{} on {}: {} per device to split", printable(result.job),
                           printable(result.cluster), format_bandwidth(result.problem.total)));
  answer.field("job", result.job).field("cluster", result.cluster);
  state_objective(answer, result);
  state_traffic(answer, result);
  if (!file.empty()) answer.line("written", printable(file));
  answer.field("file", file).findings(findings);
  state_splits(answer, result);
  const SplitTrial& best = result.tried[SplitAnswer::best];
  answer.line("simulated", fmt::format("the step with the best split is {}, and {}",
                                       compared_with(best, result.tried[SplitAnswer::now], "now"),
                                       compared_with(best, result.tried[SplitAnswer::equal],
                                                     "with equal bandwidths")));
  answer.line(
      "note",
      "the formula assumes that communications run one after another and alone, without latency, "
      "and that each collective passes the dimensions in one piece, innermost first. The "
      "simulation has the cluster's library, chunks and their order, latency, and concurrent work. "
      "So the best split by formula need not be the best in simulation: overlapped communication "
      "is free, and with Themis mainly the total bandwidth matters.");
}

}  // namespace orrery::present
