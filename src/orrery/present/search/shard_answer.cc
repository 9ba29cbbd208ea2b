// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/shard_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/nested_bars.h"

namespace orrery::present {

using report::Value;
using study::ShardAnswer;

namespace {

Time us_time(double us) { return Time(std::llround(us * 1e6)); }
Value table_size(double bytes) {
  return Value(bytes).shown(traffic_text(Bytes(std::llround(bytes))));
}

std::string over_bound(const ShardAnswer& placed, double us) {
  return signed_share(us / placed.bound_us - 1);
}

/// Rows are places in `placed.pieces`.
report::Columns<std::size_t> piece_columns(const ShardAnswer& placed) {
  report::Columns<std::size_t> columns;
  columns.field("table", [&](auto place) { return placed.tables[placed.pieces[place].table].name; })
      .field("device_index", [&](auto place) { return placed.placement[place]; })
      .field("features", [&](auto place) { return placed.pieces[place].features; })
      .field("rows", [&](auto place) { return placed.pieces[place].rows; });
  return columns;
}

/// Rows are devices.
report::Columns<std::size_t> device_columns(const std::vector<study::ShardDevice>& loads) {
  report::Columns<std::size_t> columns;
  columns.add("device", "", [](auto device) { return device; })
      .add("tables", "pieces", [&](auto device) { return id_value(loads[device].pieces); })
      .add("lookups", "time_ns", [&](auto device) { return us_time(loads[device].us); })
      .add("memory", "bytes", [&](auto device) { return table_size(loads[device].bytes); })
      .add("sends", "sent_bytes", [&](auto device) { return table_size(loads[device].sends); });
  return columns;
}

report::Columns<study::BaselineCost> sharder_columns(const ShardAnswer& placed) {
  report::Columns<study::BaselineCost> columns;
  columns
      .add("sharder, whole tables", "name",
           [](const auto& one) { return model::name(one.sharder); })
      .add("step", "step_ns",
           [](const auto& one) {
             return one.cost ? Value(us_time(one.cost->us())) : Value().shown("does not fit");
           })
      .omit_null()
      .align(report::Align::right)
      .show_number(
          "above the bound",
          [&](const auto& one) { return one.cost ? over_bound(placed, one.cost->us()) : "-"; })
      .field("fits", [](const auto& one) { return one.cost.has_value(); });
  return columns;
}

void state_times(report::Answer& answer, const ShardAnswer& placed) {
  const Time step = us_time(placed.cost.us()), lookups = us_time(placed.cost.lookup_us),
             exchanges = us_time(placed.cost.exchange_us), bound = us_time(placed.bound_us);
  answer.row("step", "step_ns", step,
             fmt::format("{}: lookups {} on the slowest device, exchanges {}", format_time(step),
                         format_time(lookups), format_time(exchanges)));
  answer.field("lookups_ns", lookups).field("exchanges_ns", exchanges);
  answer.row("bound", "bound_ns", bound,
             fmt::format("{} for any placement; this one: {}", format_time(bound),
                         over_bound(placed, placed.cost.us())));
}

}  // namespace

void state_shard(report::Answer& answer, const ShardAnswer& placed, const std::string& file) {
  answer.title(fmt::format("{} on {} x {}, {} samples", plural(placed.tables.size(), "table"),
                           placed.devices, placed.device, format_count(placed.batch)));
  answer.field("device", placed.device).field("devices", placed.devices);
  answer.field("batch", placed.batch);
  state_times(answer, placed);
  if (placed.pieces.size() > placed.tables.size())
    answer.line("cut", fmt::format("tables cut into {} pieces", placed.pieces.size()));
  const Value memory = table_size(placed.memory);
  answer.row(
      "memory", "table_memory_bytes", memory,
      memory.text() + " per device for tables" +
          (placed.most_tables > 0 ? fmt::format(", at most {} tables", placed.most_tables) : ""));
  answer.field("max_tables", placed.most_tables);
  answer.row(
      "model", "model", placed.model,
      fmt::format(
          "{}: lookups and their gradients, one table after another; exchanges at {} per device",
          placed.model == "lin" ? "measurements of the device by Lin et al." : "lookup heuristic",
          format_bandwidth(Bandwidth(placed.link * 1e6))));
  if (!file.empty()) answer.line("written", printable(file));
  answer.field("file", file);
  answer.table("placements", row_numbers(placed.pieces.size()), piece_columns(placed));
  answer.table("device_loads", row_numbers(placed.loads.size()), device_columns(placed.loads),
               {.limit = 16, .rest = "more (--json, -o)"});
  answer.table("sharders", placed.baselines, sharder_columns(placed));
}

std::string shard_svg(const ShardAnswer& placed) {
  report::NestedBars bars{
      fmt::format("{} tables on {} x {}", placed.tables.size(), placed.devices, placed.device),
      "lookup time of each device, relative to the slowest",
      {}};
  for (std::size_t i = 0; i < placed.loads.size(); ++i) {
    const double share = placed.cost.lookup_us > 0 ? placed.loads[i].us / placed.cost.lookup_us : 0;
    bars.bars.push_back({fmt::format("device {}", i), share, share, "device"});
  }
  return report::nested_bars_svg(bars);
}

}  // namespace orrery::present
