// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_compute_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using model::MeasuredKernelClass;
using study::ComputeCalibration;
using study::KernelTableReport;

namespace {

std::string kernels_of(const MeasuredKernelClass& known) {
  graph::Kernel kernel = known.lower;
  kernel.sizes = {};
  return graph::to_text(kernel);
}

std::string device_table(const KernelTableReport::Device& device, report::Style style) {
  report::Table table({{"kernels"},
                       {"different", true},
                       {"held back", true},
                       {"off by", true},
                       {"80 % within", true}});
  for (const MeasuredKernelClass& known : device.classes)
    table.row({kernels_of(known), count(known.kernels), count(known.left_out),
               known.left_out == 0 ? "-" : fmt::format("{:.1f} %", 100 * known.median_error),
               known.left_out == 0 ? "-" : error_band_text(known.band)});
  return style.strong(printable(device.name)) + "\n" + table.text(style, 0, 110);
}

}  // namespace

std::string calibrate_compute_text(const ComputeCalibration& answer, const std::string& table,
                                   const KernelModelFile& model, report::Style style) {
  report::Sheet head(style);
  head.add("kernels", fmt::format("{} different ones", count(answer.report.rows)));
  if (answer.recorded > 0) {
    std::string text = fmt::format("{} in recordings, {} known by shapes", count(answer.recorded),
                                   count(answer.known));
    if (answer.overlapped > 0)
      text += fmt::format("; {} of them left out: communication ran beside them",
                          count(answer.overlapped));
    head.add("recorded", text);
  }
  if (!answer.date.empty()) head.add("measured on", answer.date);
  std::string text = head.text();
  for (const KernelTableReport::Device& device : answer.report.devices)
    text += "\n" + device_table(device, style);
  report::Sheet sheet(style);
  for (const std::string& error : model.errors) sheet.add("model", error);
  for (const std::string& name : answer.unknown_devices)
    sheet.add("left out", fmt::format("{}: not in the catalogue (--device says what it is like)",
                                      name.empty() ? "a device without a name" : in_quotes(name)));
  report::add_findings(sheet, answer.findings, style);
  if (!table.empty())
    sheet.add("wrote", fmt::format("{}; in a cluster file: device: {{kernel_table: {}}}",
                                   printable(table), printable(table)));
  if (!model.path.empty())
    sheet.add("wrote", fmt::format("{}; in a cluster file: device: {{kernel_model: {}}}",
                                   printable(model.path), printable(model.path)));
  if (table.empty() && model.path.empty())
    sheet.add("next", "-o FILE writes a table that simulations take");
  return text + "\n" + sheet.text();
}

std::string calibrate_compute_json(const ComputeCalibration& answer, const std::string& table,
                                   const KernelModelFile& model) {
  return report::envelope("calibrate", answer.findings, [&](report::JsonWriter& json) {
    json.begin_object().field("calibrated", "compute").key("file");
    table.empty() ? json.null() : json.value(table);
    json.key("model_file");
    model.path.empty() ? json.null() : json.value(model.path);
    json.key("recorded_on");
    answer.date.empty() ? json.null() : json.value(answer.date);
    json.key("inputs").begin_array();
    for (const study::SourceFile& file : answer.files)
      json.begin_object().field("file", file.name).field("sha256", file.sha256).end_object();
    json.end_array()
        .field("kernels", answer.report.rows)
        .field("recorded_kernels", answer.recorded)
        .field("known_kernels", answer.known)
        .field("overlapping_kernels", answer.overlapped);
    json.key("per_device").begin_array();
    for (const KernelTableReport::Device& device : answer.report.devices) {
      json.begin_object().field("device", device.name).key("classes").begin_array();
      for (const MeasuredKernelClass& known : device.classes) {
        json.begin_object()
            .field("class", kernels_of(known))
            .field("kernels", known.kernels)
            .field("held_out_kernels", known.left_out)
            .field("median_error", known.median_error);
        write_band(json, known.band);
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().key("unknown_devices").begin_array();
    for (const std::string& name : answer.unknown_devices) json.value(name);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
