// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_plot_answer.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

#include "orrery/core/text/text.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/scatter_plot.h"

namespace orrery::present {

using study::KernelPlot;

namespace {

report::Columns<KernelPlot::Class> plot_columns() {
  report::Columns<KernelPlot::Class> columns;
  columns.add("class", "class", &KernelPlot::Class::name)
      .add("device", "device", [](const auto& one) { return text_or_null(one.device, ""); })
      .add("kernels", "kernels", [](const auto& one) { return one.points.size(); })
      .add("median", "median_error", [](const auto& one) { return error_value(one.median_error); })
      .add("signed", "signed_error", &KernelPlot::Class::bias,
           [](const auto& one) { return signed_share(one.bias); });
  add_error_band(columns, [](const auto& one) { return one.spread; });
  columns
      .add("inside", "inside_share",
           [](const auto& one) {
             return one.banded
                        ? report::Value(one.inside).shown(fmt::format("{:.0f} %", 100 * one.inside))
                        : report::Value();
           })
      .align(report::Align::right);
  return columns;
}

}  // namespace

void state_kernel_plot(report::Answer& answer, const KernelPlot& plot, const std::string& path) {
  std::string rows =
      fmt::format("{} predicted by {}", plural(plot.rows - plot.unpredicted, "measured row"),
                  printable(plot.model));
  if (plot.unpredicted > 0)
    rows += fmt::format("; {} more without a prediction", count(plot.unpredicted));
  answer.first(fmt::format("{}: {}", answer.style().strong(printable(path)), rows));
  answer.field("picture", path).field("compute_model", plot.model);
  answer.field("rows", plot.rows).field("unpredicted_rows", plot.unpredicted);
  answer.table("classes", plot.classes, plot_columns());
  answer.findings(plot.findings);
}

std::string kernels_plot_svg(const KernelPlot& plot) {
  report::Scatter scatter;
  scatter.title = fmt::format("Kernel times: {} and measured", plot.model);
  scatter.across = "measured";
  scatter.up = "predicted";
  // Only devices that have points, in the order of the tables.
  std::set<std::uint32_t> devices;
  for (const KernelPlot::Class& one : plot.classes)
    for (const KernelPlot::Point& point : one.points) devices.insert(point.device);
  for (const std::uint32_t device : devices) scatter.series.push_back(plot.devices[device]);
  for (const KernelPlot::Class& one : plot.classes) {
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = one.device.empty() ? one.name : one.name + ", " + one.device;
    panel.note = fmt::format("median error {}, n = {}", error_text(one.median_error),
                             count(one.points.size()));
    for (const KernelPlot::Point& point : one.points)
      panel.points.push_back(
          {point.measured, point.predicted,
           static_cast<std::uint32_t>(std::distance(devices.begin(), devices.find(point.device)))});
  }
  return report::scatter_svg(scatter);
}

}  // namespace orrery::present
