// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_compute_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/clusters/calibrate_answer.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using model::MeasuredKernelClass;
using study::ComputeCalibration;
using study::KernelTableReport;

namespace {

report::Columns<MeasuredKernelClass> class_columns() {
  report::Columns<MeasuredKernelClass> columns;
  columns.add("kernels", "class", kernel_class_name)
      .add("distinct", "kernels", &MeasuredKernelClass::kernels)
      .add("held out", "held_out_kernels", &MeasuredKernelClass::left_out)
      .add("median error", "median_error", &MeasuredKernelClass::median_error,
           [](const auto& kernels) {
             return held_out_error_text(kernels.median_error, kernels.left_out);
           })
      .show_number("80 % interval",
                   [](const auto& kernels) {
                     return kernels.left_out == 0 ? "-" : error_band_text(kernels.band);
                   })
      .members(
          [](report::JsonWriter& json, const auto& kernels) { write_band(json, kernels.band); });
  return columns;
}

void state_kernels(report::Answer& answer, const ComputeCalibration& calibration) {
  const std::uint64_t recorded = calibration.recorded, known = calibration.known;
  const std::uint64_t overlapped = calibration.overlapped;
  answer.row("kernels", "kernels", calibration.report.rows,
             fmt::format("{} distinct", count(calibration.report.rows)));
  if (recorded > 0)
    answer.line(
        "recorded",
        fmt::format("{} in recordings, {} with known shapes{}", count(recorded), count(known),
                    overlapped > 0
                        ? fmt::format("; {} of them excluded: they overlapped communication",
                                      count(overlapped))
                        : ""));
  answer.field("recorded_kernels", recorded).field("known_kernels", known);
  answer.field("overlapping_kernels", overlapped);
}

void state_devices(report::Answer& answer, const std::vector<KernelTableReport::Device>& devices) {
  answer.each("per_device", devices, [](report::Answer& element, const auto& device) {
    element.heading(element.style().strong(printable(device.name))).field("device", device.name);
    element.table("classes", device.classes, class_columns(), {.width = 110});
  });
}

}  // namespace

void state_compute_calibration(report::Answer& answer, const ComputeCalibration& calibration,
                               const std::string& table, const KernelModelFile& model) {
  answer.field("calibrated", "compute");
  state_kernels(answer, calibration);
  state_source(answer, calibration.date, calibration.files);
  state_devices(answer, calibration.report.devices);
  for (const std::string& error : model.errors) answer.line("model", error);
  state_unknown_devices(answer, calibration.unknown_devices);
  answer.findings(calibration.findings);
  state_file(answer, "file", table,
             fmt::format("; in a cluster file: device: {{kernel_table: {}}}", printable(table)));
  state_file(
      answer, "model_file", model.path,
      fmt::format("; in a cluster file: device: {{kernel_model: {}}}", printable(model.path)));
  if (table.empty() && model.path.empty())
    answer.line("next", "-o FILE writes a table for simulations");
}

}  // namespace orrery::present
