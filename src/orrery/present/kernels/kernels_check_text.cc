// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_check_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using model::MeasuredKernelClass;
using study::KernelTableReport;

namespace {

/// "gemm forward bf16,bf16>bf16 transposed_b"
std::string class_name(const MeasuredKernelClass& known) {
  graph::Kernel kernel = known.lower;
  kernel.sizes = {};
  return graph::to_text(kernel);
}

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

std::string trust_text(const MeasuredKernelClass& known) {
  if (known.left_out == 0) return "none lies between others: a guess of -40 to +60 %";
  return fmt::format("{} of {} told by the others: {} off by the median, 80 % within {}",
                     count(known.left_out), count(known.kernels),
                     report::percent(known.median_error), error_band_text(known.band));
}

std::string device_line(const KernelTableReport::Device& device) {
  if (!device.silicon.described) return "not in the catalogue: times are not compared with it";
  return fmt::format("{}, {} by its data sheet",
                     format_flops(FlopRate(device.silicon.rate(graph::Format::bf16))),
                     format_bandwidth(Bandwidth(device.silicon.memory)));
}

}  // namespace

std::string kernels_check_text(const KernelTableReport& report, report::Style style) {
  std::string text =
      style.strong(printable(report.where)) +
      fmt::format(": {}, {}\n", plural(report.rows, "row"), plural(report.kernels, "kernel"));
  for (const KernelTableReport::Device& device : report.devices) {
    text += "\n" + style.strong(printable(device.name)) + "  " + device_line(device) + "\n";
    for (const MeasuredKernelClass& known : device.classes) {
      text += "\n" + class_name(known) + "\n";
      report::Sheet sheet(style);
      sheet.add("  kernels",
                fmt::format("{} in {}, {}", count(known.kernels), plural(known.rows, "row"),
                            known.kernels == 1 ? "a point"
                            : known.grid       ? "on a grid"
                                               : "scattered"));
      sheet.add("  sizes", ranges_of_sizes(known));
      sheet.add("  left out", trust_text(known));
      text += sheet.text();
    }
  }
  report::Sheet notes(style);
  for (const Error& error : report.errors)
    notes.add(style.bad("error"), printable_lines(error.what));
  report::add_findings(notes, report.findings, style);
  return text + (notes.text().empty() ? "" : "\n" + notes.text());
}

std::string kernels_check_json(const KernelTableReport& report) {
  return report::envelope("kernels", report.findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("table", report.where)
        .field("ok", report.errors.empty())
        .field("rows", report.rows)
        .field("kernels", report.kernels);
    json.key("errors").begin_array();
    for (const Error& error : report.errors)
      json.begin_object().field("what", error.what).field("hint", error.hint).end_object();
    json.end_array().key("per_device").begin_array();
    for (const KernelTableReport::Device& device : report.devices) {
      json.begin_object().field("device", device.name);
      json.field("in_catalogue", device.silicon.described).key("classes").begin_array();
      for (const MeasuredKernelClass& known : device.classes) {
        json.begin_object().field("class", class_name(known));
        const auto names = graph::size_names(known.lower.operation);
        json.key("ranges").begin_object();
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (known.upper[i] == 0) continue;
          json.key(names[i]).begin_object();
          json.field("min_size", known.lower.sizes[i])
              .field("max_size", known.upper[i])
              .field("distinct_sizes", known.different[i])
              .end_object();
        }
        json.end_object().field("rows", known.rows).field("kernels", known.kernels);
        json.field("interpolation", known.grid ? "grid" : "scattered")
            .field("held_out_kernels", known.left_out)
            .field("median_error", known.median_error);
        write_band(json, known.band);
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
