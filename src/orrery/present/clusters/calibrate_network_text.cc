// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_network_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/scatter_plot.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using calibrate::CalibratedCurve;
using calibrate::TunerChoices;
using study::NetworkCalibrationAnswer;

namespace {

std::string time_text(double us) {
  return format_time(Time(static_cast<std::int64_t>(us * 1e6 + 0.5)));
}

std::string group_text(const model::MeasuredCollective& curve) {
  if (curve.ranks % curve.nodes != 0)
    return fmt::format("{} on {} nodes", curve.ranks, curve.nodes);
  return fmt::format("{} x {}", curve.nodes, curve.ranks / curve.nodes);
}

std::string error_cell(const model::MeasuredCollective& curve, double share) {
  return curve.error.points == 0 ? "-" : fmt::format("{:.1f} %", 100 * share);
}

void add_device(report::Sheet& sheet, const NetworkCalibrationAnswer& answer) {
  std::map<std::string, std::string> names;  // of the catalogue → as measured
  std::map<std::string, int> libraries;
  for (const CalibratedCurve& one : answer.calibration.curves) {
    names.emplace(one.curve.device, one.curve.driver);
    if (!one.curve.library.empty()) ++libraries[one.curve.library];
  }
  for (const auto& [name, driver] : names) {
    std::string text = printable(name);
    if (!driver.empty() && driver != name) text += fmt::format(" ({})", printable(driver));
    if (platform::find_device(name) == nullptr)
      text +=
          "; not in the catalogue: a cluster's device has to be called so, or --device says "
          "what it is";
    sheet.add("device", text);
  }
  for (const auto& [library, unused] : libraries) sheet.add("library", printable(library));
}

std::string curves_text(const NetworkCalibrationAnswer& answer, report::Style style) {
  report::Table table({{"collective"},
                       {"nodes x GPUs"},
                       {"sizes", true},
                       {"least", true},
                       {"bus, at most", true},
                       {"held back", true},
                       {"90 % within", true}});
  std::string last;
  for (const CalibratedCurve& one : answer.calibration.curves) {
    const model::MeasuredCollective& curve = one.curve;
    if (!last.empty() && last != curve.device) table.row({curve.device});
    last = curve.device;
    double least = one.points.front().us;
    for (const model::SizedTime& point : one.points) least = std::min(least, point.us);
    table.row({std::string(graph::name(curve.type)), group_text(curve), count(one.points.size()),
               time_text(least), fmt::format("{:.1f} GB/s", one.peak_bus_bandwidth()),
               error_cell(curve, curve.error.median), error_cell(curve, curve.error.p90)});
  }
  return table.text(style, 0, 100);
}

std::string tuner_text(const calibrate::TunerExport& tuner, report::Style style) {
  report::Table table({{"NCCL's choice"},
                       {"is"},
                       {"sizes", true},
                       {"lines", true},
                       {"as cost model", true},
                       {"else slower by", true}});
  for (const TunerChoices& one : tuner.choices) {
    const bool measured = one.by == "measured";
    table.row({printable(one.name), measured ? "the fastest" : "the cost model's, not measured",
               format_count(one.sizes), count(one.lines.size()),
               measured ? format_count(one.agree) : "-",
               measured && one.gain > 0 ? fmt::format("{:.1f} %", 100 * one.gain) : "-"});
  }
  std::string text = "\n" + table.text(style, 0, 100);
  report::Sheet sheet(style);
  for (const std::string& name : tuner.skipped_groups)
    sheet.add("no choice", printable(name) + ": a tuner has none there");
  return text + sheet.text();
}

}  // namespace

std::string calibrate_network_text(const NetworkCalibrationAnswer& answer,
                                   const std::string& curves, const std::string& tuner,
                                   report::Style style) {
  const model::CurveNotes& notes = answer.calibration.notes;
  report::Sheet head(style);
  add_device(head, answer);
  for (const std::string& tool : notes.tools) head.add("measured by", printable(tool));
  if (!notes.made_on.empty()) head.add("measured on", notes.made_on);
  std::string text = head.text() + "\n" + curves_text(answer, style);
  if (answer.tuner) text += tuner_text(*answer.tuner, style);
  report::Sheet sheet(style);
  for (const model::CurveNotes::LeftOut& one : notes.left_out)
    sheet.add("left out", one.what + ": " + one.why);
  report::add_findings(sheet, answer.findings, style);
  if (!curves.empty())
    sheet.add("wrote", fmt::format("{}; in a cluster file: collectives: {{curves: {}}}",
                                   printable(curves), printable(curves)));
  if (!tuner.empty())
    sheet.add("wrote", fmt::format("{}; NCCL's tuner plug-in reads it, as does a cluster file: "
                                   "collectives: {{settings: {{NCCL_TUNER_CONFIG_FILE: {}}}}}",
                                   printable(tuner), printable(tuner)));
  if (curves.empty() && tuner.empty())
    sheet.add("next", "-o FILE writes what a cluster file takes");
  return text + "\n" + sheet.text();
}

std::string calibrate_network_json(const NetworkCalibrationAnswer& answer,
                                   const std::string& curves, const std::string& tuner) {
  return report::envelope("calibrate", answer.findings, [&](report::JsonWriter& json) {
    const model::CurveNotes& notes = answer.calibration.notes;
    json.begin_object().field("calibrated", "network").key("file");
    curves.empty() ? json.null() : json.value(curves);
    json.key("tuner_file");
    tuner.empty() ? json.null() : json.value(tuner);
    json.key("recorded_on");
    notes.made_on.empty() ? json.null() : json.value(notes.made_on);
    json.key("inputs").begin_array();
    for (const model::CurveNotes::File& file : notes.made_from)
      json.begin_object().field("file", file.name).field("sha256", file.sha256).end_object();
    json.end_array().key("tools").begin_array();
    for (const std::string& tool : notes.tools) json.value(tool);
    json.end_array().key("curves").begin_array();
    for (const CalibratedCurve& one : answer.calibration.curves) {
      const model::MeasuredCollective& curve = one.curve;
      json.begin_object()
          .field("device", curve.device)
          .field("recorded_as", curve.driver)
          .field("library", curve.library)
          .field("dtype", curve.dtype)
          .field("collective", graph::name(curve.type))
          .field("hosts", curve.nodes)
          .field("ranks", curve.ranks)
          .field("dropped", curve.dropped)
          .field("peak_busbw_bytes_per_s", one.peak_bus_bandwidth() * 1e9)
          .field("held_out_points", curve.error.points)
          .field("median_error", curve.error.median)
          .field("p90_error", curve.error.p90);
      json.key("curve_points").begin_array();
      for (const model::SizedTime& point : one.points)
        json.begin_object()
            .field("bytes", point.bytes)
            .nanoseconds("time", point.us * 1e3)
            .end_object();
      json.end_array().end_object();
    }
    json.end_array().key("left_out").begin_array();
    for (const model::CurveNotes::LeftOut& one : notes.left_out)
      json.begin_object().field("name", one.what).field("reason", one.why).end_object();
    json.end_array().key("tuner").begin_array();
    for (const TunerChoices& one : answer.tuner
                                       ? std::span<const TunerChoices>(answer.tuner->choices)
                                       : std::span<const TunerChoices>())
      json.begin_object()
          .field("name", one.name)
          .field("choice", one.by)
          .field("tuner_lines", one.lines.size())
          .field("tuned_sizes", one.sizes)
          .field("same_as_cost_model", one.agree)
          .end_object();
    json.end_array().end_object();
  });
}

std::string calibrate_network_svg(const NetworkCalibrationAnswer& answer) {
  report::Scatter scatter;
  scatter.title = "Sizes held back: predicted from the sizes beside them";
  scatter.across = "measured";
  scatter.up = "predicted";
  scatter.series = {"held back"};
  for (const CalibratedCurve& one : answer.calibration.curves) {
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = one.curve.name;
    panel.note = fmt::format("off by {} (median), n = {}",
                             error_cell(one.curve, one.curve.error.median), one.curve.error.points);
    for (const model::HeldOutSize& held : one.held_back)
      panel.points.push_back({held.measured_us / 1e6, held.predicted_us / 1e6, 0});
  }
  return report::scatter_svg(scatter);
}

}  // namespace orrery::present
