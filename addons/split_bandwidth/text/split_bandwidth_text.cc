// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/text/split_bandwidth_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using split_bandwidth::SplitAnswer;
using split_bandwidth::SplitObjective;
using split_bandwidth::SplitTrial;

namespace {

constexpr const char* kWhich[] = {"now", "equal", "best"};

std::string dim_text(const SplitAnswer& answer, std::size_t dim) {
  return fmt::format("{}: {} {}", dim, platform::name(answer.dims[dim].block),
                     format_count(answer.dims[dim].size));
}

bool by_cost(const SplitAnswer& answer) {
  return answer.problem.objective == SplitObjective::time_cost;
}

std::string splits_table(const SplitAnswer& answer, report::Style style) {
  report::Table table({{"dimension"}, {"now", true}, {"equal", true}, {"best", true}});
  using Say = std::function<std::string(const SplitTrial&)>;
  const auto row = [&](std::string label, const Say& say) {
    std::vector<std::string> cells{std::move(label)};
    for (const SplitTrial& tried : answer.tried) cells.push_back(say(tried));
    table.row(std::move(cells));
  };
  for (std::size_t d = 0; d < answer.dims.size(); ++d)
    row(dim_text(answer, d),
        [d](const SplitTrial& one) { return format_bandwidth(one.bandwidth[d]); });
  row("", [](const SplitTrial&) { return std::string(); });
  row("communication, by formula", [](const SplitTrial& one) { return seconds_text(one.seconds); });
  if (by_cost(answer)) {
    const double best = answer.tried[SplitAnswer::best].value;
    row("time x cost, of the best",
        [best](const SplitTrial& one) { return fmt::format("{:.3f}", one.value / best); });
  }
  row("step, simulated", [](const SplitTrial& one) { return format_time(one.step); });
  row("… exposed communication", [](const SplitTrial& one) { return format_time(one.exposed); });
  return table.text(style);
}

/// "8.62 % shorter than now"
std::string beside(const SplitTrial& best, const SplitTrial& other, std::string_view word) {
  const double more = seconds(best.step) / seconds(other.step) - 1;
  return fmt::format("{:.2f} % {} than {}", 100 * std::abs(more), more > 0 ? "longer" : "shorter",
                     word);
}

}  // namespace

std::string split_bandwidth_text(const SplitAnswer& answer, const std::string& file,
                                 const Findings& findings, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(
      style.strong(fmt::format("{} on {}: {} of a device to split", printable(answer.job),
                               printable(answer.cluster), format_bandwidth(answer.problem.total))));
  sheet.add("best by", by_cost(answer)
                           ? fmt::format("(what a rank computes, {}, + its communication) x the "
                                         "network's cost",
                                         seconds_text(answer.problem.fixed_seconds))
                           : "the time of communication");
  sheet.add("of rank", fmt::format("{}, which sends for longest", answer.traffic.rank));
  double gap = 1e-9;
  while (gap < answer.split.gap()) gap *= 10;
  sheet.add("proof", fmt::format("no split has a value lower by more than {:.0e} of it", gap));
  if (answer.traffic.irregular_groups > 0)
    sheet.add("taken as", fmt::format("one ring: {} of groups that are no grid of the dimensions",
                                      plural(answer.traffic.irregular_groups, "collective")));
  if (answer.traffic.unknown > 0)
    sheet.add("left out", fmt::format("{} of a type that no formula is known of",
                                      plural(answer.traffic.unknown, "collective")));
  if (!file.empty()) sheet.add("written", printable(file));
  report::add_findings(sheet, findings, style);
  std::string text = sheet.text() + "\n" + splits_table(answer, style) + "\n";
  report::Sheet notes(style);
  const SplitTrial& best = answer.tried[SplitAnswer::best];
  notes.add("simulated",
            fmt::format("a step with the best is {}, and {}",
                        beside(best, answer.tried[SplitAnswer::now], "now"),
                        beside(best, answer.tried[SplitAnswer::equal], "with equal bandwidths")));
  notes.add("note",
            "the formula has communication one after another, nothing beside it, no latency, and "
            "each collective whole through the dimensions, from the inside. Simulated there are "
            "the cluster's library, chunks and their order, latency, and what runs beside. What "
            "is best by formula need not be then: what overlaps is free, and with Themis little "
            "but the total counts.");
  return text + notes.text();
}

std::string split_bandwidth_json(const SplitAnswer& answer, const std::string& file,
                                 const Findings& findings) {
  return report::envelope("split-bandwidth", findings, [&](JsonWriter& json) {
    json.begin_object().field("job", std::string_view(answer.job));
    json.field("cluster", std::string_view(answer.cluster));
    json.field("objective", by_cost(answer) ? "time-cost" : "time");
    json.field("total_bandwidth_bytes_per_s", answer.problem.total.count());
    json.nanoseconds("fixed", answer.problem.fixed_seconds * 1e9);
    json.field("rank", std::uint64_t{answer.traffic.rank});
    json.field("objective_value", answer.split.value).field("objective_bound", answer.split.bound);
    json.field("odd_groups", answer.traffic.irregular_groups)
        .field("unknown_operations", answer.traffic.unknown);
    json.key("dimensions").begin_array();
    for (const platform::Dimension& dim : answer.dims)
      json.begin_object()
          .field("block", platform::name(dim.block))
          .field("size", dim.size)
          .end_object();
    json.end_array().key("demands").begin_array();
    for (const split_bandwidth::Demand& demand : answer.problem.demands) {
      json.begin_object().field("repeats", demand.times).key("dimension_bytes").begin_array();
      for (const double bytes : demand.bytes) json.value(bytes);
      json.end_array().end_object();
    }
    json.end_array().key("splits").begin_array();
    for (std::size_t i = 0; i < answer.tried.size(); ++i) {
      const SplitTrial& tried = answer.tried[i];
      json.begin_object().field("name", kWhich[i]).key("dimension_bytes_per_s").begin_array();
      for (const Bandwidth one : tried.bandwidth) json.value(one.count());
      json.end_array()
          .nanoseconds("comm", tried.seconds * 1e9)
          .field("objective_value", tried.value);
      json.nanoseconds("step", tried.step).nanoseconds("exposed_comm", tried.exposed);
      json.end_object();
    }
    json.end_array().field("file", std::string_view(file)).end_object();
  });
}

}  // namespace orrery::present
