// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/network_compare_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/answer/digest_answer.h"

namespace orrery::present {

using report::Value;
using study::NetworkComparison;
using study::NetworkResult;

namespace {

constexpr std::size_t kNetworkNameWidth = 24;
constexpr double kItemsOfPrice = 1e9;  // a cost is also stated for this many tokens or samples

/// One row of the table that people read: a value of each network.
struct NetworkRow {
  std::string label;
  std::vector<std::string> cells;
};

using NetworkRows = std::vector<NetworkRow>;
using NetworkText = std::function<std::string(const NetworkResult&)>;

void add_network_row(const NetworkComparison& comparison, std::string label,
                     const NetworkText& text, NetworkRows& rows) {
  NetworkRow row{std::move(label), {}};
  for (const NetworkResult& one : comparison.networks) row.cells.push_back(text(one));
  if (std::any_of(row.cells.begin(), row.cells.end(),
                  [](const std::string& cell) { return !cell.empty(); }))
    rows.push_back(std::move(row));
}

/// Tokens, or samples where a step has none; 0: unknown.
double items_rate(const NetworkResult& one) {
  if (!one.digest.throughput) return 0;
  const auto& speed = one.digest.throughput->speed;
  return speed.tokens > 0 ? speed.tokens : speed.samples;
}

bool has_tokens(const NetworkComparison& comparison) {
  const auto& work = comparison.networks.front().digest.throughput;
  return work && work->speed.tokens > 0;
}

std::optional<double> cost_of_items(const NetworkResult& one) {
  const auto cost = one.cost();
  if (!cost || items_rate(one) <= 0) return std::nullopt;
  return *cost / (items_rate(one) * seconds(one.digest.step.step)) * kItemsOfPrice;
}

std::string price_text(const std::optional<double>& number) {
  return number ? fmt::format("{:.4g}", *number) : std::string();
}

std::string exposed_group_label(const std::string& group) {
  return group.empty() ? "messages, other groups" : printable(group);
}

Time exposed_in(const NetworkResult& one, const std::string& group) {
  const auto found = std::find_if(one.exposed.begin(), one.exposed.end(),
                                  [&](const auto& kind) { return kind.group == group; });
  return found == one.exposed.end() ? Time{} : found->time;
}

/// Groups with exposed communication on any network, in the order of the first that has them.
std::vector<std::string> exposed_groups(const NetworkComparison& comparison) {
  std::vector<std::string> groups;
  for (const NetworkResult& one : comparison.networks)
    for (const study::ExposedKind& kind : one.exposed)
      if (std::find(groups.begin(), groups.end(), kind.group) == groups.end())
        groups.push_back(kind.group);
  return groups;
}

void add_step_rows(const NetworkComparison& comparison, NetworkRows& rows) {
  add_network_row(
      comparison, "step time", [](const auto& one) { return format_time(one.digest.step.step); },
      rows);
  add_network_row(
      comparison, "80 % interval",
      [](const auto& one) {
        const auto& interval = one.digest.interval;
        return interval ? fmt::format("{} … {}", format_time(interval->lower),
                                      format_time(interval->upper))
                        : std::string("none");
      },
      rows);
  const NetworkResult& first = comparison.networks.front();
  add_network_row(
      comparison, "difference",
      [&](const auto& one) {
        if (&one == &first) return std::string("-");
        return fmt::format("{} ({})", signed_time(one.digest.step.step - first.digest.step.step),
                           relative_change(first.digest.step.step, one.digest.step.step));
      },
      rows);
  add_network_row(
      comparison, "its 80 % interval",
      [&](const auto& one) {
        if (&one == &first) return std::string("-");
        const auto& interval = one.difference.interval;
        return interval ? fmt::format("{} … {}", signed_time(interval->lower),
                                      signed_time(interval->upper))
                        : std::string("none");
      },
      rows);
}

void add_communication_rows(const NetworkComparison& comparison, NetworkRows& rows) {
  add_network_row(
      comparison, "exposed communication",
      [](const auto& one) {
        const Time exposed = one.digest.step.comm_only;
        return fmt::format("{} ({})", format_time(exposed),
                           report::percent(one.digest.step.share(exposed)));
      },
      rows);
  for (const std::string& group : exposed_groups(comparison))
    add_network_row(
        comparison, "  " + exposed_group_label(group),
        [&](const auto& one) { return format_time(exposed_in(one, group)); }, rows);
  std::size_t dims = 0;
  for (const NetworkResult& one : comparison.networks) dims = std::max(dims, one.traffic.size());
  for (std::size_t d = 0; d < dims; ++d) {
    const auto& labeled = std::find_if(comparison.networks.begin(), comparison.networks.end(),
                                       [&](const auto& one) { return d < one.traffic.size(); });
    add_network_row(
        comparison, fmt::format("sent by a rank, {}", labeled->traffic[d].label),
        [&](const auto& one) {
          return d < one.traffic.size()
                     ? format_bytes(Bytes(static_cast<std::int64_t>(one.traffic[d].bytes)))
                     : std::string("-");
        },
        rows);
  }
}

NetworkRows network_rows(const NetworkComparison& comparison) {
  NetworkRows rows;
  add_step_rows(comparison, rows);
  add_network_row(
      comparison, "MFU",
      [](const auto& one) {
        return one.digest.mfu ? report::percent(*one.digest.mfu) : std::string();
      },
      rows);
  const std::string items = has_tokens(comparison) ? "tokens" : "samples";
  add_network_row(
      comparison, items + "/s",
      [](const auto& one) {
        return items_rate(one) > 0 ? count(static_cast<std::uint64_t>(items_rate(one)))
                                   : std::string();
      },
      rows);
  add_communication_rows(comparison, rows);
  add_network_row(
      comparison, "cost of a step", [](const auto& one) { return price_text(one.cost()); }, rows);
  add_network_row(
      comparison, fmt::format("cost of 10^9 {}", items),
      [](const auto& one) { return price_text(cost_of_items(one)); }, rows);
  return rows;
}

void state_networks(report::Answer& answer, const NetworkComparison& comparison) {
  report::Columns<NetworkRow> columns;
  columns.show("", [](const NetworkRow& row) { return row.label; });
  for (std::size_t i = 0; i < comparison.networks.size(); ++i)
    columns.show_number(report::fit(printable(comparison.networks[i].name), kNetworkNameWidth),
                        [i](const NetworkRow& row) { return row.cells[i]; });
  const NetworkRows rows = network_rows(comparison);
  answer.table("", rows, columns);
}

/// For programs: an object of each network.
report::Columns<NetworkResult> network_columns(const NetworkComparison& comparison) {
  const Time first = comparison.networks.front().digest.step.step;
  report::Columns<study::ExposedKind> exposed;
  exposed.field("group", [](const auto& kind) { return kind.group; })
      .field("exposed_ns", [](const auto& kind) { return kind.time; });
  report::Columns<study::DimensionTraffic> traffic;
  traffic.field("dimension_number", [](const auto& one) { return one.dim; })
      .field("label", [](const auto& one) { return one.label; })
      .field("sent_bytes", [](const auto& one) { return one.bytes; });
  report::Columns<NetworkResult> columns;
  columns.field("name", [](const auto& one) { return one.name; })
      .field("cluster", [](const auto& one) { return one.given; })
      .field("step_ns", [](const auto& one) { return one.digest.step.step; })
      .nested("prediction_interval",
              [](auto& json, const auto& one) {
                if (one.digest.interval)
                  write_step_interval(json, *one.digest.interval);
                else
                  json.null();
              })
      .field("step_difference_ns",
             [first](const auto& one) { return one.digest.step.step - first; })
      .nested("difference_interval",
              [](auto& json, const auto& one) {
                if (one.difference.interval)
                  write_difference_interval(json, *one.difference.interval);
                else
                  json.null();
              })
      .field("no_interval_reason",
             [](const auto& one) { return text_or_null(one.difference.no_interval_reason); })
      .field("mfu", [](const auto& one) { return one.digest.mfu; })
      .field("items_per_s",
             [](const auto& one) { return items_rate(one) > 0 ? Value(items_rate(one)) : Value(); })
      .field("exposed_comm_ns", [](const auto& one) { return one.digest.step.comm_only; })
      .nested("exposed_groups",
              [exposed](auto& json, const auto& one) { write_rows(json, one.exposed, exposed); })
      .nested("dimension_traffic",
              [traffic](auto& json, const auto& one) { write_rows(json, one.traffic, traffic); })
      .field("device_hour_price", [](const auto& one) { return one.device_price; })
      .field("step_cost", [](const auto& one) { return one.cost(); })
      .field("cost_per_1e9_items", [](const auto& one) { return cost_of_items(one); });
  return columns;
}

/// Why steps or differences have no interval, and what the differences show.
void state_network_notes(report::Answer& answer, const NetworkComparison& comparison) {
  const NetworkResult& first = comparison.networks.front();
  for (std::size_t i = 1; i < comparison.networks.size(); ++i) {
    const NetworkResult& one = comparison.networks[i];
    const std::string label = printable(one.name);
    if (const auto& interval = one.difference.interval) {
      answer.line("interval", fmt::format("{} against {}: {}", label, printable(first.name),
                                          difference_interval_text(*interval)));
    } else if (!one.difference.no_interval_reason.empty()) {
      answer.line("interval", fmt::format("{} against {}: none: {}", label, printable(first.name),
                                          one.difference.no_interval_reason));
    }
  }
  answer.line("exposed", "by process group, and bytes by dimension: of the slowest rank");
}

}  // namespace

void state_network_comparison(report::Answer& answer, const NetworkComparison& comparison) {
  answer.title(
      printable(fmt::format("{}, {}", comparison.workload, plural(comparison.ranks, "rank"))));
  answer.field("workload_name", comparison.workload).field("ranks", comparison.ranks);
  for (const NetworkResult& one : comparison.networks)
    answer.line(report::fit(printable(one.name), 13), printable(one.given));
  if (answer.is_json())
    answer.rows("networks", comparison.networks, network_columns(comparison));
  else
    state_networks(answer, comparison);
  answer.end_section();
  state_network_notes(answer, comparison);
  answer.line("models", report::models_text(comparison.networks.front().digest));
  answer.end_section();
  answer.findings(comparison.findings);
}

}  // namespace orrery::present
