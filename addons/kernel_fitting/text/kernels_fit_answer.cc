// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/text/kernels_fit_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using model::KernelFitReport;

namespace {

/// A device that was left out of the training of a class.
struct LeftOutRow {
  std::string_view kernels;
  const KernelFitReport::LeftOut* left_out = nullptr;
};

void add_left_out(std::vector<LeftOutRow>& rows, const KernelFitReport& fit) {
  for (const KernelFitReport::LeftOut& left_out : fit.left_out)
    rows.push_back({name(fit.kernels), &left_out});
}

report::Columns<LeftOutRow> left_out_columns() {
  report::Columns<LeftOutRow> columns;
  columns.add("left out", "device", [](auto& row) { return row.left_out->device; })
      .show("class", [](auto& row) { return std::string(row.kernels); })
      .add("rows", "rows", [](auto& row) { return row.left_out->test_error.rows; })
      .add("median error", "median_error",
           [](auto& row) { return error_value(row.left_out->test_error.median_error); });
  return columns;
}

report::Columns<KernelFitReport> class_columns(model::Learner learner) {
  report::Columns<KernelFitReport> columns;
  columns.add("class", "class", [](auto& fit) { return name(fit.kernels); })
      .add(learner == model::Learner::nets ? "device" : "", "device",
           [](auto& fit) { return text_or_null(fit.device, ""); })
      .add("learned", "training_rows", [](auto& fit) { return fit.rows; })
      .add("held out", "held_out_rows", [](auto& fit) { return fit.test_error.rows; })
      .add("median error", "median_error",
           [](auto& fit) { return error_value(fit.test_error.median_error); });
  add_error_band(columns, [](auto& fit) { return fit.band; });
  columns
      .add("inside", "inside_share",
           [](auto& fit) {
             return report::Value(fit.inside).shown(fmt::format("{:.0f} %", 100 * fit.inside));
           })
      .nested("left_out_devices", [](auto& json, auto& fit) {
        std::vector<LeftOutRow> rows;
        add_left_out(rows, fit);
        write_rows(json, rows, left_out_columns());
      });
  return columns;
}

}  // namespace

void state_kernels_fit(report::Answer& answer, const study::KernelFitAnswer& fitted,
                       const std::string& path) {
  const std::string_view learner = fitted.by == model::Learner::trees ? "trees" : "nets";
  const std::size_t unlearned = fitted.fit.unlearned;
  answer.first(answer.style().strong(printable(path)) +
               fmt::format(": {} fitted to {} of {}", learner, plural(fitted.rows, "row"),
                           plural(fitted.devices.size(), "device")));
  if (unlearned > 0)
    answer.first(fmt::format("{} of kernels without a class: ignored", plural(unlearned, "row")));
  answer.field("model", path).field("learner", learner).field("rows", fitted.rows);
  answer.field("unlearned_rows", unlearned).list("device_names", fitted.devices);
  answer.table("classes", fitted.fit.reports, class_columns(fitted.by));
  std::vector<LeftOutRow> left_out;
  for (const KernelFitReport& fit : fitted.fit.reports) add_left_out(left_out, fit);
  answer.table("", left_out, left_out_columns());
  answer.findings(fitted.findings);
}

}  // namespace orrery::present
