// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_overheads_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using profile::OverheadRow;
using profile::TimeSpread;
using study::OverheadsCalibration;

namespace {

constexpr std::size_t kMostRows = 5;  // of each kind

std::string us_text(double us) {
  return format_time(Time(static_cast<std::int64_t>(us * 1e3 + 0.5) * 1000));
}

std::string about(profile::Overhead overhead) {
  switch (overhead) {
    case profile::Overhead::between_operators:
      return "T1 before an operator";
    case profile::Overhead::before_launch:
      return "T2 until its first launch";
    case profile::Overhead::after_launch:
      return "T3 after its last launch";
    case profile::Overhead::launch_call:
      return "T4 the launch itself";
    case profile::Overhead::between_launches:
      break;
  }
  return "T5 between launches";
}

void add_spread(report::Table& table, const char* what, const TimeSpread& spread) {
  if (spread.count > 0)
    table.row({what, count(spread.count), us_text(spread.least), us_text(spread.median),
               us_text(spread.most), fmt::format("{:.1f} %", 100 * spread.held_back)});
}

std::string spreads_text(const OverheadsCalibration& answer, report::Style style) {
  report::Table table({{"times"},
                       {"count", true},
                       {"10 %", true},
                       {"median", true},
                       {"90 %", true},
                       {"held back", true}});
  add_spread(table, "launch to launch, forward", answer.forward);
  add_spread(table, "launch to launch, backward", answer.backward);
  add_spread(table, "launch to launch, optimizer", answer.optimizer);
  add_spread(table, "launch to an idle device's begin", answer.latency);
  add_spread(table, "kernel to the next in the queue", answer.gap);
  return table.empty() ? "" : table.text(style, 0, 100) + "\n";
}

std::string rows_text(const OverheadsCalibration& answer, report::Style style) {
  report::Table table({{"overhead"}, {"of"}, {"count", true}, {"dropped", true}, {"mean", true}});
  for (std::size_t first = 0; first < answer.rows.size();) {
    std::size_t last = first + 1;
    while (last < answer.rows.size() && answer.rows[last].overhead == answer.rows[first].overhead)
      ++last;
    std::vector<OverheadRow> rows(answer.rows.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                  answer.rows.begin() + static_cast<std::ptrdiff_t>(last));
    std::stable_sort(rows.begin(), rows.end(),
                     [](const OverheadRow& a, const OverheadRow& b) { return a.count > b.count; });
    if (rows.size() > kMostRows) rows.resize(kMostRows);
    rows.insert(rows.begin(), answer.rows[first]);
    for (const OverheadRow& row : rows)
      table.row({row.of.empty() ? about(row.overhead) : "",
                 row.of.empty() ? fmt::format("all {}", last - first - 1)
                                : printable(shortened(row.of, 48)),
                 count(row.count), count(row.dropped), us_text(row.mean_us)});
    first = last;
  }
  return table.text(style, 0, 110);
}

void write_spread_of(report::JsonWriter& json, std::string_view key, const TimeSpread& spread) {
  json.key(key)
      .begin_object()
      .field("count", spread.count)
      .nanoseconds("min", spread.least * 1e3)
      .nanoseconds("median", spread.median * 1e3)
      .nanoseconds("max", spread.most * 1e3)
      .field("held_out_error", spread.held_back)
      .end_object();
}

}  // namespace

std::string calibrate_overheads_text(const OverheadsCalibration& answer, const std::string& file,
                                     report::Style style) {
  report::Sheet head(style);
  if (!answer.device.empty())
    head.add("device",
             printable(answer.device) + (answer.driver.empty() || answer.driver == answer.device
                                             ? ""
                                             : fmt::format(" ({})", printable(answer.driver))));
  if (!answer.date.empty()) head.add("measured on", answer.date);
  head.add("operators", fmt::format("{} outermost ones of {}; {} waited for the device and say "
                                    "nothing",
                                    count(answer.operators), plural(answer.ranks, "rank"),
                                    count(answer.waiting)));
  std::string text = head.text() + "\n" + spreads_text(answer, style) + rows_text(answer, style);
  report::Sheet sheet(style);
  if (answer.launch.count > 0)
    sheet.add("for the job", fmt::format("kernels: {{launch: {}}}", us_text(answer.launch.median)));
  if (answer.gap.count > 0)
    sheet.add("for the cluster",
              fmt::format("device: {{in_step: {{gap: {}}}}}", us_text(answer.gap.median)));
  report::add_findings(sheet, answer.findings, style);
  if (!file.empty()) sheet.add("wrote", printable(file));
  return text + "\n" + sheet.text();
}

std::string calibrate_overheads_json(const OverheadsCalibration& answer, const std::string& file) {
  return report::envelope("calibrate", answer.findings, [&](report::JsonWriter& json) {
    json.begin_object().field("calibrated", "overheads").key("file");
    file.empty() ? json.null() : json.value(file);
    json.field("device", answer.device).field("recorded_as", answer.driver).key("recorded_on");
    answer.date.empty() ? json.null() : json.value(answer.date);
    json.key("inputs").begin_array();
    for (const study::SourceFile& one : answer.files)
      json.begin_object().field("file", one.name).field("sha256", one.sha256).end_object();
    json.end_array()
        .field("ranks", answer.ranks)
        .field("operators", answer.operators)
        .field("waiting", answer.waiting);
    write_spread_of(json, "launch_time", answer.launch);
    write_spread_of(json, "forward_launch_time", answer.forward);
    write_spread_of(json, "backward_launch_time", answer.backward);
    write_spread_of(json, "optimizer_launch_time", answer.optimizer);
    write_spread_of(json, "launch_latency", answer.latency);
    write_spread_of(json, "kernel_gap", answer.gap);
    json.key("overheads").begin_array();
    for (const OverheadRow& row : answer.rows) {
      json.begin_object().field("overhead", name(row.overhead)).key("operator");
      row.of.empty() ? json.null() : json.value(row.of);
      json.field("count", row.count)
          .field("dropped", row.dropped)
          .field("negative", row.below_zero)
          .nanoseconds("mean", row.mean_us * 1e3)
          .end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
