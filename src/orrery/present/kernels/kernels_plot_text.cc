// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_plot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/scatter_plot.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using study::KernelPlot;

namespace {

std::string error_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string findings_text(const Findings& findings, report::Style style) {
  report::Sheet notes(style);
  report::add_findings(notes, findings, style);
  return notes.text().empty() ? "" : "\n" + notes.text();
}

}  // namespace

std::string kernels_plot_text(const KernelPlot& answer, const std::string& path,
                              report::Style style) {
  std::string text =
      style.strong(printable(path)) +
      fmt::format(": {} by {}", plural(answer.rows - answer.unpredicted, "measured row"),
                  printable(answer.model));
  if (answer.unpredicted > 0)
    text += fmt::format("; of {} more it says nothing",
                        format_count(static_cast<std::int64_t>(answer.unpredicted)));
  text += "\n\n";
  report::Table table({{"class"},
                       {"device"},
                       {"kernels", true},
                       {"off by", true},
                       {"signed", true},
                       {"inside", true}});
  for (const KernelPlot::Class& is : answer.classes)
    table.row({is.name, printable(is.device), count(is.points.size()), error_text(is.median_error),
               fmt::format("{:+.1f} %", 100 * is.bias),
               is.banded ? fmt::format("{:.0f} %", 100 * is.inside) : "-"});
  return text + table.text(style) + findings_text(answer.findings, style);
}

std::string kernels_plot_json(const KernelPlot& answer, const std::string& path) {
  return report::envelope("kernels", answer.findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("picture", path)
        .field("compute_model", answer.model)
        .field("rows", answer.rows)
        .field("unpredicted_rows", answer.unpredicted);
    json.key("classes").begin_array();
    for (const KernelPlot::Class& is : answer.classes) {
      json.begin_object().field("class", is.name).key("device");
      is.device.empty() ? json.null() : json.value(is.device);
      json.field("kernels", is.points.size())
          .field("median_error", is.median_error)
          .field("signed_error", is.bias)
          .key("inside_share");
      is.banded ? json.value(is.inside) : json.null();
      json.end_object();
    }
    json.end_array().end_object();
  });
}

std::string kernels_plot_svg(const KernelPlot& answer) {
  report::Scatter scatter;
  scatter.title = fmt::format("Kernel times by {} against measured ones", answer.model);
  scatter.across = "measured";
  scatter.up = "predicted";
  // Only devices that have points, in the order of the tables.
  std::set<std::uint32_t> there;
  for (const KernelPlot::Class& is : answer.classes)
    for (const KernelPlot::Point& point : is.points) there.insert(point.device);
  for (const std::uint32_t device : there) scatter.series.push_back(answer.devices[device]);
  for (const KernelPlot::Class& is : answer.classes) {
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = is.device.empty() ? is.name : is.name + ", " + is.device;
    panel.note = fmt::format("off by {} (median), n = {}", error_text(is.median_error),
                             count(is.points.size()));
    for (const KernelPlot::Point& point : is.points)
      panel.points.push_back(
          {point.measured, point.predicted,
           static_cast<std::uint32_t>(std::distance(there.begin(), there.find(point.device)))});
  }
  return report::scatter_svg(scatter);
}

}  // namespace orrery::present
