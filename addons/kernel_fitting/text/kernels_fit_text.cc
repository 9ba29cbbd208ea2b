// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/text/kernels_fit_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using model::KernelFitReport;
using study::KernelFitAnswer;

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

}  // namespace orrery::present
