// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_check_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using model::MeasuredKernelClass;
using study::KernelTableReport;

namespace {

/// "m 1 to 16,384 (12), n 8,192"
std::string ranges_of_sizes(const MeasuredKernelClass& known) {
  const auto names = graph::size_names(known.lower.operation);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (known.upper[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", names[i], format_count(known.lower.sizes[i]));
    if (known.different[i] > 1)
      text += fmt::format(" to {} ({})", format_count(known.upper[i]), known.different[i]);
  }
  return text.empty() ? "no sizes" : text;
}

std::string held_out_text(const MeasuredKernelClass& known) {
  if (known.left_out == 0) return "no kernel lies between others: assumed error -40 to +60 %";
  return fmt::format("{} of {} predicted from the others: median error {}, 80 % interval {}",
                     count(known.left_out), count(known.kernels),
                     report::percent(known.median_error), error_band_text(known.band));
}

std::string device_line(const KernelTableReport::Device& device) {
  if (!device.silicon.described) return "not in the catalog: times are not checked against it";
  return fmt::format("{}, {} (data sheet)",
                     format_flops(FlopRate(device.silicon.rate(graph::Format::bf16))),
                     format_bandwidth(Bandwidth(device.silicon.memory)));
}

void write_ranges(report::JsonWriter& json, const MeasuredKernelClass& known) {
  json.begin_object();
  const auto names = graph::size_names(known.lower.operation);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (known.upper[i] == 0) continue;
    json.key(names[i]).begin_object();
    json.field("min_size", known.lower.sizes[i])
        .field("max_size", known.upper[i])
        .field("distinct_sizes", known.different[i])
        .end_object();
  }
  json.end_object();
}

/// The lines are a block, so that an empty line follows before errors and findings.
void state_measured_class(report::Answer& answer, const MeasuredKernelClass& known) {
  const std::string name = kernel_class_name(known);
  report::Sheet sheet(answer.style());
  sheet.line(name);
  sheet.add("  kernels",
            fmt::format("{} in {}, {}", count(known.kernels), plural(known.rows, "row"),
                        known.kernels == 1 ? "a point"
                        : known.grid       ? "on a grid"
                                           : "scattered"));
  sheet.add("  sizes", ranges_of_sizes(known));
  sheet.add("  held out", held_out_text(known));
  answer.block(sheet.text()).field("class", name);
  answer.json("ranges", [&](report::JsonWriter& json) { write_ranges(json, known); });
  answer.field("rows", known.rows).field("kernels", known.kernels);
  answer.field("interpolation", known.grid ? "grid" : "scattered");
  answer.field("held_out_kernels", known.left_out).field("median_error", known.median_error);
  answer.members([&](report::JsonWriter& json) { write_band(json, known.band); });
}

}  // namespace

void state_kernel_table(report::Answer& answer, const KernelTableReport& report) {
  answer.first(
      answer.style().strong(printable(report.where)) +
      fmt::format(": {}, {}", plural(report.rows, "row"), plural(report.kernels, "kernel")));
  answer.field("table", report.where).field("ok", report.errors.empty());
  answer.field("rows", report.rows).field("kernels", report.kernels);
  answer.each("per_device", report.devices, [](report::Answer& element, const auto& device) {
    element.block(fmt::format("{}  {}\n", element.style().strong(printable(device.name)),
                              device_line(device)));
    element.field("device", device.name).field("in_catalog", device.silicon.described);
    element.each("classes", device.classes, state_measured_class);
  });
  answer.each("errors", report.errors, [](report::Answer& element, const Error& error) {
    element.row(element.style().bad("error"), "what", error.what, printable_lines(error.what));
    element.field("hint", error.hint);
  });
  answer.findings(report.findings);
}

}  // namespace orrery::present
