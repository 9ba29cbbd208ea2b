// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_fit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/scatter_plot.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using model::KernelFitReport;
using study::KernelFitAnswer;
using study::KernelPlot;

namespace {

std::string_view learner_name(model::Learner by) {
  return by == model::Learner::trees ? "trees" : "nets";
}

std::string error_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// Devices that were left out, by class.
std::string left_out_text(const KernelFitAnswer& answer, report::Style style) {
  report::Table table({{"left out"}, {"class"}, {"rows", true}, {"off by", true}});
  for (const KernelFitReport& about : answer.fit.reports)
    for (const KernelFitReport::LeftOut& left : about.left_out)
      table.row({printable(left.device), std::string(name(about.kernels)),
                 format_count(left.held.rows), error_text(left.held.median_error)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string findings_text(const Findings& findings, report::Style style) {
  report::Sheet notes(style);
  report::add_findings(notes, findings, style);
  return notes.text().empty() ? "" : "\n" + notes.text();
}

}  // namespace

std::string kernels_fit_text(const KernelFitAnswer& answer, const std::string& path,
                             report::Style style) {
  std::string text =
      style.strong(printable(path)) +
      fmt::format(": {} fitted to {} of {}\n", learner_name(answer.by), plural(answer.rows, "row"),
                  plural(answer.devices.size(), "device"));
  if (answer.fit.unlearned > 0)
    text += fmt::format("{} of kernels that no class holds: not learned\n",
                        plural(answer.fit.unlearned, "row"));
  const bool nets = answer.by == model::Learner::nets;
  report::Table table({{"class"},
                       {nets ? "device" : ""},
                       {"learned", true},
                       {"held back", true},
                       {"off by", true},
                       {"80 % band", true},
                       {"inside", true}});
  for (const KernelFitReport& about : answer.fit.reports)
    table.row({std::string(name(about.kernels)), printable(about.device), format_count(about.rows),
               format_count(about.seen.rows), error_text(about.seen.median_error),
               error_band_text(about.band), fmt::format("{:.0f} %", 100 * about.inside)});
  return text + "\n" + table.text(style) + left_out_text(answer, style) +
         findings_text(answer.findings, style);
}

std::string kernels_fit_json(const KernelFitAnswer& answer, const std::string& path) {
  return report::envelope("kernels", answer.findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("model", path)
        .field("learner", learner_name(answer.by))
        .field("rows", answer.rows)
        .field("unlearned_rows", answer.fit.unlearned);
    json.key("device_names").begin_array();
    for (const std::string& device : answer.devices) json.value(device);
    json.end_array().key("classes").begin_array();
    for (const KernelFitReport& about : answer.fit.reports) {
      json.begin_object().field("class", name(about.kernels)).key("device");
      about.device.empty() ? json.null() : json.value(about.device);
      json.field("training_rows", about.rows)
          .field("held_out_rows", about.seen.rows)
          .field("median_error", about.seen.median_error)
          .field("inside_share", about.inside);
      write_band(json, about.band);
      json.key("left_out_devices").begin_array();
      for (const KernelFitReport::LeftOut& left : about.left_out)
        json.begin_object()
            .field("device", left.device)
            .field("rows", left.held.rows)
            .field("median_error", left.held.median_error)
            .end_object();
      json.end_array().end_object();
    }
    json.end_array().end_object();
  });
}

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
