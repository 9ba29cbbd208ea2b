// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/shard_text.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/nested_bars.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::ShardAnswer;

namespace {

constexpr std::size_t kMostDevices = 16;  // in text

Time us_time(double us) { return Time(std::llround(us * 1e6)); }
Bytes whole_bytes(double bytes) { return Bytes(std::llround(bytes)); }

std::string over_bound(const ShardAnswer& answer, double us) {
  return fmt::format("{:+.1f} %", 100 * (us / answer.bound_us - 1));
}

std::string devices_text(const ShardAnswer& answer, report::Style style) {
  report::Table table(
      {{"device", true}, {"tables", true}, {"lookups", true}, {"memory", true}, {"sends", true}});
  for (std::size_t i = 0; i < std::min(kMostDevices, answer.loads.size()); ++i) {
    const study::ShardDevice& device = answer.loads[i];
    table.row({fmt::format("{}", i), fmt::format("{}", device.pieces),
               format_time(us_time(device.us)), format_bytes(whole_bytes(device.bytes)),
               format_bytes(whole_bytes(device.sends))});
  }
  std::string text = table.text(style);
  if (answer.loads.size() > kMostDevices)
    text += fmt::format("and {} more (--json, -o)\n", answer.loads.size() - kMostDevices);
  return text;
}

std::string sharders_text(const ShardAnswer& answer, report::Style style) {
  report::Table table({{"tables whole, by"}, {"step", true}, {"over the bound", true}});
  for (const study::BaselineCost& one : answer.baselines)
    table.row({std::string(model::name(one.sharder)),
               one.cost ? format_time(us_time(one.cost->us())) : "does not fit",
               one.cost ? over_bound(answer, one.cost->us()) : "-"});
  return table.text(style);
}

}  // namespace

std::string shard_text(const ShardAnswer& answer, const std::string& file, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(style.strong(
      fmt::format("{} on {} x {}, {} samples", plural(answer.tables.size(), "table"),
                  answer.devices, answer.device, count(static_cast<std::uint64_t>(answer.batch)))));
  sheet.add("step", fmt::format("{}: lookups {} on the device that takes longest, exchanges {}",
                                format_time(us_time(answer.cost.us())),
                                format_time(us_time(answer.cost.lookup_us)),
                                format_time(us_time(answer.cost.exchange_us))));
  sheet.add("bound", fmt::format("{}: {} over what no placement beats",
                                 format_time(us_time(answer.bound_us)),
                                 over_bound(answer, answer.cost.us())));
  if (answer.pieces.size() > answer.tables.size())
    sheet.add("cut", fmt::format("into {} pieces", answer.pieces.size()));
  sheet.add("memory",
            fmt::format("{} of a device for tables{}", format_bytes(whole_bytes(answer.memory)),
                        answer.most_tables > 0
                            ? fmt::format(", of which it holds {} at most", answer.most_tables)
                            : ""));
  sheet.add("told by", fmt::format("{}: lookups and their gradients, one table after another; "
                                   "exchanges at {} a device",
                                   answer.model == "lin" ? "what Lin et al. measured of the device"
                                                         : "the heuristic of lookups",
                                   format_bandwidth(Bandwidth(answer.link * 1e6))));
  if (!file.empty()) sheet.add("written", printable(file));
  return sheet.text() + "\n" + devices_text(answer, style) + "\n" + sharders_text(answer, style);
}

std::string shard_json(const ShardAnswer& answer, const std::string& file) {
  return report::envelope("shard", {}, [&](JsonWriter& json) {
    json.begin_object().field("device", std::string_view(answer.device));
    json.field("devices", answer.devices).field("batch", answer.batch);
    json.field("model", answer.model).field("table_memory_bytes", answer.memory);
    json.field("max_tables", answer.most_tables);
    json.nanoseconds("step", answer.cost.us() * 1e3)
        .nanoseconds("lookups", answer.cost.lookup_us * 1e3);
    json.nanoseconds("exchanges", answer.cost.exchange_us * 1e3)
        .nanoseconds("bound", answer.bound_us * 1e3);
    json.key("placements").begin_array();
    for (std::size_t i = 0; i < answer.pieces.size(); ++i) {
      const study::ShardPiece& piece = answer.pieces[i];
      json.begin_object().field("table", std::string_view(answer.tables[piece.table].name));
      json.field("device_index", answer.placement[i]).field("features", piece.features);
      json.field("rows", piece.rows).end_object();
    }
    json.end_array().key("device_loads").begin_array();
    for (const study::ShardDevice& device : answer.loads) {
      json.begin_object()
          .field("pieces", std::uint64_t{device.pieces})
          .nanoseconds("time", device.us * 1e3);
      json.field("bytes", device.bytes).field("sent_bytes", device.sends).end_object();
    }
    json.end_array().key("sharders").begin_array();
    for (const study::BaselineCost& one : answer.baselines) {
      json.begin_object().field("name", model::name(one.sharder));
      if (one.cost) json.nanoseconds("step", one.cost->us() * 1e3);
      json.field("fits", one.cost.has_value()).end_object();
    }
    json.end_array().field("file", std::string_view(file)).end_object();
  });
}

std::string shard_svg(const ShardAnswer& answer) {
  report::NestedBars bars{
      fmt::format("{} tables on {} x {}", answer.tables.size(), answer.devices, answer.device),
      "lookups of each device, of the longest",
      {}};
  for (std::size_t i = 0; i < answer.loads.size(); ++i) {
    const double share = answer.cost.lookup_us > 0 ? answer.loads[i].us / answer.cost.lookup_us : 0;
    bars.bars.push_back({fmt::format("device {}", i), share, share, "device"});
  }
  return report::nested_bars_svg(bars);
}

}  // namespace orrery::present
