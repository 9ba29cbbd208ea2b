// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_context_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/compute/device_ratios.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using study::DeviceKernelContext;
using study::KernelContextRow;
using study::PercentileSpread;
using study::StepKernelTimes;

namespace {

std::string factor_text(const StepKernelTimes& kernels) {
  return kernels.kernels == 0 ? "-" : fmt::format("{:.2f}", kernels.factor());
}

std::string gap_text(const DeviceKernelContext& device) {
  if (device.gaps == 0) return "no kernel waited in the queue of a stream";
  const auto time = [](double picoseconds) {
    return format_time(Time(static_cast<std::int64_t>(picoseconds)));
  };
  return fmt::format("median {} between queued kernels; 80 % interval {} to {} ({})",
                     time(device.gap.median), time(device.gap.p10), time(device.gap.p90),
                     plural(device.gaps, "gap"));
}

void write_gaps(report::JsonWriter& json, const PercentileSpread& ps) {
  json.begin_object().nanoseconds("p10", ps.p10 * 1e-3);
  json.nanoseconds("median", ps.median * 1e-3).nanoseconds("p90", ps.p90 * 1e-3).end_object();
}

void write_in_step(report::JsonWriter& json, const StepKernelTimes& kernels) {
  json.begin_object()
      .field("kernels", kernels.kernels)
      .nanoseconds("recorded", kernels.recorded)
      .nanoseconds("alone", kernels.alone)
      .field("factor", kernels.factor());
  json.key("ratio_spread").begin_object().field("p10_ratio", kernels.ratio.p10);
  json.field("median_ratio", kernels.ratio.median).field("p90_ratio", kernels.ratio.p90);
  json.end_object().end_object();
}

report::Columns<KernelContextRow> context_columns(const DeviceKernelContext& device, bool shapes) {
  report::Columns<KernelContextRow> columns;
  columns.add("kernels", "name", [=](const auto& row) { return kernel_name(row.kernel, shapes); })
      .members([=](auto& json, const auto& row) {
        write_kernel(json, row.kernel, shapes);
        if (shapes) json.field("ratio_class", model::ratio_class(row.kernel));
      })
      .add("count", "", [](const auto& row) { return row.all.kernels; })
      .add("in step", "", [](const auto& row) { return row.all.recorded; })
      .add("alone", "", [](const auto& row) { return row.all.alone; })
      .show_number("factor", [](const auto& row) { return factor_text(row.all); })
      .show_number("80 % interval", [](const auto& row) {
        return fmt::format("{:.2f} to {:.2f}", row.all.ratio.p10, row.all.ratio.p90);
      });
  if (std::any_of(device.rows.begin(), device.rows.end(),
                  [](const auto& row) { return row.overlapped.kernels > 0; }))
    columns.show_number("overlapped", [](const auto& row) { return factor_text(row.overlapped); });
  columns.add("model", "model_names", &KernelContextRow::models)
      .nested("all_launches", [](auto& json, const auto& row) { write_in_step(json, row.all); })
      .nested("overlapping_communication",
              [](auto& json, const auto& row) { write_in_step(json, row.overlapped); });
  return columns;
}

void state_device_context(report::Answer& answer, const DeviceKernelContext& device, bool shapes) {
  answer.title(device.silicon.name).field("device", device.silicon.name);
  if (!device.recorded_as.empty()) answer.line("recorded as", printable(device.recorded_as));
  answer.field("recorded_as", device.recorded_as).row("ranks", "ranks", device.ranks);
  answer.row("kernels", "kernels", device.kernels,
             fmt::format("{} compute kernels, {}; operator shapes identify {} of this time",
                         count(device.kernels), format_time(device.time),
                         share(device.known_kernel_time, device.time)));
  answer.field("time_ns", device.time).field("known_kernels", device.known);
  answer.field("known_ns", device.known_kernel_time);
  answer.row("gaps", "gaps", device.gaps, gap_text(device));
  answer.json("gap_spread", [&](report::JsonWriter& json) { write_gaps(json, device.gap); });
  answer.table(shapes ? "shapes" : "classes", device.rows, context_columns(device, shapes),
               {.headings_if_empty = true, .width = shapes ? 160u : 100u});
}

}  // namespace

void state_kernel_context(report::Answer& answer, std::span<const DeviceKernelContext> devices,
                          const std::set<std::string>& unknown_devices, bool shapes,
                          const Findings& findings) {
  answer.each("per_device", devices, [=](report::Answer& element, const auto& device) {
    state_device_context(element, device, shapes);
  });
  state_unknown_devices(answer, unknown_devices);
  answer.findings(findings);
}

}  // namespace orrery::present
