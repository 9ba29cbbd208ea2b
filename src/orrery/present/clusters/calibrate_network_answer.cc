// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_network_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "orrery/core/text/text.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/present/clusters/calibrate_answer.h"
#include "orrery/report/charts/scatter_plot.h"

namespace orrery::present {

using calibrate::CalibratedCurve;
using calibrate::TunerChoices;
using model::CurveNotes;
using model::SizedTime;
using report::Value;
using study::NetworkCalibrationAnswer;

namespace {

void state_devices(report::Answer& answer, const std::vector<CalibratedCurve>& curves) {
  std::map<std::string, std::string> names;  // of the catalog → as measured
  std::set<std::string> libraries;
  for (const CalibratedCurve& one : curves) {
    names.emplace(one.curve.device, one.curve.driver);
    if (!one.curve.library.empty()) libraries.insert(one.curve.library);
  }
  for (const auto& [name, driver] : names) {
    std::string text = device_text(name, driver);
    if (platform::find_device(name) == nullptr)
      text +=
          "; not in the catalog: use this name in the cluster file, or specify the device with "
          "--device";
    answer.line("device", text);
  }
  for (const std::string& library : libraries) answer.line("library", printable(library));
}

std::string group_text(const model::CollectiveCurve& curve) {
  if (curve.ranks % curve.nodes != 0)
    return fmt::format("{} on {} nodes", curve.ranks, curve.nodes);
  return fmt::format("{} x {}", curve.nodes, curve.ranks / curve.nodes);
}

Time shortest_time(const CalibratedCurve& one) {
  const double us = std::ranges::min(one.points, {}, &SizedTime::us).us;
  return Time(static_cast<std::int64_t>(us * 1e6 + 0.5));
}

/// A curve, or for people a line with its device.
struct CurveRow {
  const CalibratedCurve* curve = nullptr;
  bool is_device = false;
};

void write_curve_details(report::JsonWriter& json, const CurveRow& row) {
  const model::CollectiveCurve& curve = row.curve->curve;
  json.field("device", curve.device).field("recorded_as", curve.driver);
  json.field("library", curve.library).field("dtype", curve.dtype);
  json.field("hosts", curve.nodes).field("ranks", curve.ranks).field("dropped", curve.dropped);
  json.field("held_out_points", curve.error.points).key("curve_points").begin_array();
  for (const SizedTime& point : row.curve->points)
    json.begin_object()
        .field("bytes", point.bytes)
        .nanoseconds("time", point.us * 1e3)
        .end_object();
  json.end_array();
}

report::Columns<CurveRow> curve_columns() {
  const auto of = [](auto get) {
    return [get](const CurveRow& row) {
      return row.is_device ? Value().shown("") : Value(get(*row.curve));
    };
  };
  const auto error_value = [&](double model::CurveError::*which) {
    return of([which](const CalibratedCurve& one) {
      const model::CurveError& error = one.curve.error;
      return Value(error.*which).shown(held_out_error_text(error.*which, error.points));
    });
  };
  report::Columns<CurveRow> columns;
  columns
      .add("collective", "collective",
           [](const CurveRow& row) {
             const model::CollectiveCurve& curve = row.curve->curve;
             return row.is_device ? Value(curve.device) : Value(graph::name(curve.type));
           })
      .add("nodes x GPUs", "", of([](const auto& one) { return group_text(one.curve); }))
      .add("sizes", "", of([](const auto& one) { return one.points.size(); }))
      .add("shortest", "", of(shortest_time))
      .add("peak busbw", "peak_busbw_bytes_per_s", of([](const auto& one) {
             const double rate = one.peak_bus_bandwidth();
             return Value(rate * 1e9).shown(fmt::format("{:.1f} GB/s", rate));
           }))
      .add("held-out error", "median_error", error_value(&model::CurveError::median))
      .add("its p90", "p90_error", error_value(&model::CurveError::p90))
      .members(write_curve_details);
  return columns;
}

void state_curves(report::Answer& answer, const std::vector<CalibratedCurve>& curves) {
  std::vector<CurveRow> rows;
  for (const CalibratedCurve& one : curves) {
    const bool is_other = !rows.empty() && rows.back().curve->curve.device != one.curve.device;
    if (is_other && !answer.is_json()) rows.push_back({&one, true});
    rows.push_back({&one});
  }
  answer.table("curves", rows, curve_columns(), {.width = 100});
}

void state_tuner(report::Answer& answer, const calibrate::TunerExport& tuner) {
  const auto is_measured = [](const TunerChoices& one) { return one.basis == "measured"; };
  report::Columns<TunerChoices> columns;
  columns.add("NCCL's choice", "name", &TunerChoices::name)
      .add("basis", "choice", &TunerChoices::basis,
           [=](const TunerChoices& one) {
             return is_measured(one) ? "fastest measured" : "cost model, not measured";
           })
      .add("sizes", "tuned_sizes", &TunerChoices::sizes)
      .add("lines", "tuner_lines", [](const auto& one) { return one.lines.size(); })
      .add(
          "as cost model", "same_as_cost_model", &TunerChoices::agree,
          [=](const TunerChoices& one) { return is_measured(one) ? Value(one.agree).text() : "-"; })
      .show_number("model slower by", [=](const TunerChoices& one) {
        return is_measured(one) && one.median_speedup > 0
                   ? fmt::format("{:.1f} %", 100 * one.median_speedup)
                   : "-";
      });
  answer.table("tuner", tuner.choices, columns, {.width = 100});
  report::Sheet sheet(answer.style());
  for (const std::string& name : tuner.skipped_groups)
    sheet.add("no choice", printable(name) + ": NCCL's tuner plug-in cannot express it");
  if (const std::string& text = sheet.text(); !text.empty())
    answer.note(text.substr(0, text.size() - 1));
}

}  // namespace

void state_network_calibration(report::Answer& answer, const NetworkCalibrationAnswer& calibration,
                               const std::string& curves, const std::string& tuner) {
  const CurveNotes& notes = calibration.calibration.notes;
  answer.field("calibrated", "network");
  state_devices(answer, calibration.calibration.curves);
  for (const std::string& tool : notes.tools) answer.line("measured by", printable(tool));
  answer.list("tools", notes.tools);
  state_source(answer, notes.made_on, notes.made_from);
  state_curves(answer, calibration.calibration.curves);
  state_tuner(answer, calibration.tuner.value_or(calibrate::TunerExport()));
  for (const CurveNotes::LeftOut& one : notes.left_out)
    answer.line("skipped", one.what + ": " + one.why);
  report::Columns<CurveNotes::LeftOut> columns;
  columns.field("name", &CurveNotes::LeftOut::what).field("reason", &CurveNotes::LeftOut::why);
  answer.table("left_out", notes.left_out, columns);
  answer.findings(calibration.findings);
  state_file(answer, "file", curves,
             fmt::format("; in a cluster file: collectives: {{curves: {}}}", printable(curves)));
  state_file(answer, "tuner_file", tuner,
             fmt::format("; NCCL's tuner plug-in reads it, as does a cluster file: collectives: "
                         "{{settings: {{NCCL_TUNER_CONFIG_FILE: {}}}}}",
                         printable(tuner)));
  if (curves.empty() && tuner.empty())
    answer.line("next", "-o FILE writes curves for a cluster file");
}

std::string calibrate_network_svg(const NetworkCalibrationAnswer& answer) {
  report::Scatter scatter;
  scatter.title = "Held-out sizes: predicted from the neighboring sizes";
  scatter.across = "measured";
  scatter.up = "predicted";
  scatter.series = {"held out"};
  for (const CalibratedCurve& one : answer.calibration.curves) {
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = one.curve.name;
    panel.note = fmt::format("median error {}, n = {}",
                             held_out_error_text(one.curve.error.median, one.curve.error.points),
                             one.curve.error.points);
    for (const model::HeldOutSize& held : one.held_out)
      panel.points.push_back({held.measured_us / 1e6, held.predicted_us / 1e6, 0});
  }
  return report::scatter_svg(scatter);
}

}  // namespace orrery::present
