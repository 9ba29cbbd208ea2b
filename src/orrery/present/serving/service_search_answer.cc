// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/serving/service_search_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/search/search_space_labels.h"
#include "orrery/present/serving/infer_answer.h"

namespace orrery::present {

using explore::ServicePoint;
using explore::ServiceSearch;
using report::Share;
using report::Value;
using PointColumns = report::Columns<ServicePoint>;

namespace {

std::string rate_text(double value) {
  return value < 100 ? fmt::format("{:.3g}", value)
                     : count(static_cast<std::uint64_t>(std::llround(value)));
}

/// "2 x (tp 2)"; "tp 2, dp 4, ep 8" of one instance
std::string sizes_text(const ServicePoint& point) {
  const study::EngineQuestion& engine = point.question.engine;
  std::string text = fmt::format("tp {}", engine.tensor_parallel_size);
  if (engine.data_parallel_size > 1) text += fmt::format(", dp {}", engine.data_parallel_size);
  if (engine.enable_expert_parallel)
    text += fmt::format(", ep {}", engine.tensor_parallel_size * engine.data_parallel_size);
  if (point.question.instances == 1) return text;
  return fmt::format("{} x ({})", point.question.instances, text);
}

/// "ttft_p99 at most 500 ms, 99 % of the requests with ttft at most 1 s"
std::string limits_text(const serving::ServiceLimits& limits) {
  std::vector<std::string> texts, of_requests;
  for (const serving::StatisticLimit& one : limits.statistics)
    texts.push_back(fmt::format("{} at most {}", one.name(), report::seconds_text(one.seconds)));
  const auto add = [&](const char* name, const std::optional<double>& limit) {
    if (limit) of_requests.push_back(fmt::format("{} {}", name, report::seconds_text(*limit)));
  };
  add("ttft", limits.ttft);
  add("tpot", limits.tpot);
  add("latency", limits.latency);
  if (!of_requests.empty())
    texts.push_back(fmt::format("{} of the requests within {}", report::percent(limits.share),
                                fmt::join(of_requests, ", ")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

void add_sizes(PointColumns& columns) {
  columns.add("device", "device", [](const auto& point) { return Value(point.question.gpu); });
  columns.add("devices", "devices", [](const auto& point) { return Value(point.devices); });
  columns.show("instances", sizes_text);
  columns.field("instances", [](const auto& point) { return Value(point.question.instances); });
  columns.field(
      "tp", [](const auto& point) { return Value(point.question.engine.tensor_parallel_size); });
  columns.field("dp",
                [](const auto& point) { return Value(point.question.engine.data_parallel_size); });
  columns.field("expert_parallel", [](const auto& point) {
    return Value(point.question.engine.enable_expert_parallel);
  });
  columns.add("tokens", "max_num_batched_tokens", [](const auto& point) {
    return Value(point.question.engine.max_num_batched_tokens);
  });
  columns.add("seqs", "max_num_seqs",
              [](const auto& point) { return Value(point.question.engine.max_num_seqs); });
}

void add_latencies(PointColumns& columns) {
  using serving::ServiceMetrics;
  const auto add = [&](const char* key, serving::Latency ServiceMetrics::*latency) {
    columns.nested(key, [latency](report::JsonWriter& json, const ServicePoint& point) {
      write_latency(json, point.simulated.*latency);
    });
  };
  add("ttft", &ServiceMetrics::ttft);
  add("tpot", &ServiceMetrics::tpot);
  add("inter_token", &ServiceMetrics::gap);
  add("request_latency", &ServiceMetrics::latency);
}

void add_rates(PointColumns& columns) {
  columns.add(
      "per user", "user_tokens_per_s",
      [](const auto& point) { return point.user_rate() > 0 ? Value(point.user_rate()) : Value(); },
      [](const auto& point) { return rate_text(point.user_rate()); });
  columns.add(
      "per device", "device_tokens_per_s",
      [](const auto& point) { return Value(point.device_rate()); },
      [](const auto& point) { return rate_text(point.device_rate()); });
  columns.align(report::Align::right);
}

PointColumns setup_columns(const ServiceSearch& search, const CommandOf& command) {
  PointColumns columns;
  add_sizes(columns);
  if (search.priced)
    columns.add(
        "cost/h", "hour_cost", [](const auto& point) { return Value(point.cost()); },
        [](const auto& point) { return fmt::format("{:.4g}", point.cost()); });
  // Without a limit of their own, the two latencies that users know.
  std::vector<serving::StatisticLimit> shown = search.limits.statistics;
  if (shown.empty())
    shown = {{serving::LatencyKind::ttft, serving::Statistic::p99},
             {serving::LatencyKind::tpot, serving::Statistic::p99}};
  for (const serving::StatisticLimit& one : shown)
    columns.show_number(one.name(), [one](const auto& point) {
      return report::seconds_text(serving::statistic_of(point.simulated, one));
    });
  if (search.limits.limits_requests())
    columns.add("good", "good_share",
                [](const auto& point) { return Value(Share{point.simulated.good_share}); });
  add_rates(columns);
  add_latencies(columns);
  columns.field("limit_ratio", [](const auto& point) { return Value(point.ratio); });
  columns.field("meets_limits", [](const auto& point) { return Value(point.meets); });
  columns.field("command",
                [&command](const auto& point) { return Value(command(point.question)); });
  return columns;
}

PointColumns front_columns(const ServiceSearch& search, const CommandOf& command) {
  PointColumns columns;
  columns.show("device", [](const auto& point) { return point.question.gpu; });
  columns.show_number("per user", [](const auto& point) { return rate_text(point.user_rate()); });
  columns.show_number("per device",
                      [](const auto& point) { return rate_text(point.device_rate()); });
  columns.show_number(
      "ttft_p99", [](const auto& point) { return report::seconds_text(point.simulated.ttft.p99); });
  columns.show_number("devices", [](const auto& point) { return std::to_string(point.devices); });
  columns.show("instances", sizes_text);
  columns.show("limits", [](const auto& point) { return point.meets ? "met" : ""; });
  const PointColumns all = setup_columns(search, command);
  for (const auto& column : all.list())
    if (column.nested)
      columns.nested(column.key, column.nested);
    else if (!column.key.empty())
      columns.field(column.key, column.value);
  return columns;
}

const char* refusal_text(const std::string& reason) {
  return reason == "memory"    ? "the weights leave no memory for the cache"
         : reason == "request" ? "the cache or a step does not hold the longest request"
         : reason == "network" ? "the catalog has no network between these devices"
                               : "the model cannot be split over as many devices";
}

void state_counts(report::Answer& answer, const ServiceSearch& search) {
  answer.end_section();
  answer.row("estimated", "estimated", Value(search.estimated),
             fmt::format("{}, each with several numbers of instances: {} in all",
                         plural(search.setups, "setup"), count(search.estimated)));
  answer.field("tried_setups", search.setups).field("overloaded", search.overloaded);
  answer.row(
      "simulated", "simulated", Value(search.simulations),
      search.max_estimate_error > 0
          ? fmt::format("{}; estimated times per token differ by at most {}",
                        count(search.simulations), report::percent(search.max_estimate_error))
          : count(search.simulations));
  answer.field("max_estimate_error", search.max_estimate_error);
  answer.field("missed_setups", search.missed);
  state_numbers(answer, "refused_setups", search.refused);
  std::vector<Rejection> rejected;
  for (const auto& [reason, number] : search.refused)
    rejected.emplace_back(number, refusal_text(reason));
  if (search.missed > 0)
    rejected.emplace_back(search.missed,
                          "by the estimate, the limits are missed with any number of instances");
  std::ranges::stable_sort(rejected, std::greater(), &Rejection::first);
  if (!rejected.empty()) state_rejections(answer, "setups", "not possible because", rejected);
}

}  // namespace

void state_service_search(report::Answer& answer, const ServiceSearch& search, std::size_t rows,
                          const CommandOf& command) {
  const bool by_cost = search.objective == explore::ServiceObjective::cost;
  std::vector<ServicePoint> shown = search.best;
  if (shown.size() > rows) shown.resize(rows);
  const ServicePoint* const first = shown.empty() ? nullptr : &shown.front();
  if (!search.any_meets())
    answer.title("No setup meets the limits");
  else if (by_cost)
    answer.title(fmt::format("{} {} for {:.4g} per hour meet the limits", first->devices,
                             first->question.gpu, first->cost()));
  else
    answer.title(fmt::format("{} {} meet{} the limits", first->devices, first->question.gpu,
                             first->devices == 1 ? "s" : ""));
  answer.field("objective", config::enum_name(search.objective)).field("priced", search.priced);
  answer.field("meets_limits", search.any_meets());
  answer.row("requests", "arrivals", Value(search.load), search.load);
  answer.line("limits", limits_text(search.limits));
  if (first != nullptr && !search.any_meets())
    answer.line("nearest",
                fmt::format("{} over a limit, by {} {}", report::percent(first->ratio - 1),
                            first->devices, first->question.gpu));
  if (first != nullptr) answer.line("command", command(first->question));
  answer.table("service_setups", shown, setup_columns(search, command));
  answer.heading("Output tokens/s per device against those of a user");
  answer.table("front_setups", search.front, front_columns(search, command));
  state_counts(answer, search);
  answer.findings(search.findings);
}

}  // namespace orrery::present
