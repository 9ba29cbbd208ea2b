// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_context_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using study::DeviceKernelContext;
using study::KernelContextRow;
using study::PercentileSpread;
using study::StepKernelTimes;

namespace {

std::string name_of(const KernelContextRow& row, bool shapes) {
  if (!shapes)
    return fmt::format("{} {} {}", name(row.kernel.operation), name(row.kernel.pass),
                       name(row.kernel.a));
  graph::Kernel bare = row.kernel;
  bare.flops = bare.bytes = 0;
  return graph::to_text(bare);
}

std::string factor_text(const StepKernelTimes& kernels) {
  return kernels.kernels == 0 ? "-" : fmt::format("{:.2f}", kernels.factor());
}

std::string gap_text(const DeviceKernelContext& device) {
  if (device.gaps == 0) return "no kernel waited in a stream's queue";
  const auto time = [](double picoseconds) {
    return format_time(Time(static_cast<std::int64_t>(picoseconds)));
  };
  return fmt::format("{} to the next kernel that waits in the queue; 80 % {} to {} ({} of them)",
                     time(device.gap.median), time(device.gap.p10), time(device.gap.p90),
                     count(device.gaps));
}

std::string device_text(const DeviceKernelContext& device, bool shapes, report::Style style) {
  std::string text = style.strong(device.silicon.name) + "\n";
  report::Sheet sheet(style);
  if (!device.recorded_as.empty()) sheet.add("recorded as", printable(device.recorded_as));
  sheet.add("ranks", count(device.ranks));
  sheet.add("kernels", fmt::format("{} that compute, {}; operators' shapes tell what {} of this "
                                   "time is",
                                   count(device.kernels), format_time(device.time),
                                   share(device.known_kernel_time, device.time)));
  sheet.add("between", gap_text(device));
  text += sheet.text() + "\n";
  const bool overlapped = std::any_of(device.rows.begin(), device.rows.end(),
                                      [](const auto& row) { return row.overlapped.kernels > 0; });
  std::vector<report::Table::Column> columns{{"kernels"},       {"count", true},
                                             {"in step", true}, {"alone", true},
                                             {"factor", true},  {"80 % of them", true}};
  if (overlapped) columns.push_back({"beside comm", true});
  columns.push_back({"alone by"});
  report::Table table(std::move(columns));
  for (const KernelContextRow& row : device.rows) {
    std::vector<std::string> cells{
        name_of(row, shapes),
        count(row.all.kernels),
        format_time(row.all.recorded),
        format_time(row.all.alone),
        factor_text(row.all),
        fmt::format("{:.2f} to {:.2f}", row.all.ratio.p10, row.all.ratio.p90)};
    if (overlapped) cells.push_back(factor_text(row.overlapped));
    cells.push_back(row.models);
    table.row(std::move(cells));
  }
  return text + table.text(style, 0, shapes ? 160 : 100);
}

/// Of numbers of which 10 % are below the first, 10 % above the last.
void write_ratios(report::JsonWriter& json, const PercentileSpread& spread) {
  json.key("ratio_spread").begin_object().field("p10_ratio", spread.p10);
  json.field("median_ratio", spread.median).field("p90_ratio", spread.p90).end_object();
}

void write_gaps(report::JsonWriter& json, const PercentileSpread& ps) {
  json.key("gap_spread").begin_object().nanoseconds("p10", ps.p10 * 1e-3);
  json.nanoseconds("median", ps.median * 1e-3).nanoseconds("p90", ps.p90 * 1e-3).end_object();
}

void write_in_step(report::JsonWriter& json, const StepKernelTimes& kernels) {
  json.begin_object()
      .field("kernels", kernels.kernels)
      .nanoseconds("recorded", kernels.recorded)
      .nanoseconds("alone", kernels.alone)
      .field("factor", kernels.factor());
  write_ratios(json, kernels.ratio);
  json.end_object();
}

void write_device(report::JsonWriter& json, const DeviceKernelContext& device, bool shapes) {
  json.begin_object()
      .field("device", device.silicon.name)
      .field("recorded_as", device.recorded_as)
      .field("ranks", device.ranks)
      .field("kernels", device.kernels)
      .nanoseconds("time", device.time)
      .field("known_kernels", device.known)
      .nanoseconds("known", device.known_kernel_time)
      .field("gaps", device.gaps);
  write_gaps(json, device.gap);
  json.key(shapes ? "shapes" : "classes").begin_array();
  for (const KernelContextRow& row : device.rows) {
    json.begin_object().field("name", name_of(row, shapes));
    if (shapes) {
      write_kernel(json, row.kernel);
    } else {
      json.field("operation", name(row.kernel.operation))
          .field("pass", name(row.kernel.pass))
          .field("format", name(row.kernel.a));
    }
    json.field("model_names", row.models).key("all_launches");
    write_in_step(json, row.all);
    json.key("overlapping_communication");
    write_in_step(json, row.overlapped);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string kernels_context_text(std::span<const DeviceKernelContext> devices,
                                 const std::set<std::string>& unknown_devices, bool shapes,
                                 const Findings& findings, report::Style style) {
  std::string text;
  for (const DeviceKernelContext& device : devices)
    text += (text.empty() ? "" : "\n") + device_text(device, shapes, style);
  report::Sheet notes(style);
  for (const std::string& name : unknown_devices)
    notes.add("left out", fmt::format("{}: not in the catalogue (--device says what it is like)",
                                      name.empty() ? "a device without a name" : in_quotes(name)));
  report::add_findings(notes, findings, style);
  return text + (notes.text().empty() ? "" : "\n" + notes.text());
}

std::string kernels_context_json(std::span<const DeviceKernelContext> devices,
                                 const std::set<std::string>& unknown_devices, bool shapes,
                                 const Findings& findings) {
  return report::envelope("kernels", findings, [&](report::JsonWriter& json) {
    json.begin_object().key("per_device").begin_array();
    for (const DeviceKernelContext& device : devices) write_device(json, device, shapes);
    json.end_array().key("unknown_devices").begin_array();
    for (const std::string& name : unknown_devices) json.value(name);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
