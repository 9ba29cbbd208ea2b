// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_variability_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::MeasuredVariability;

namespace {

std::string spread_words(bool known, const platform::FactorDistribution& spread, const char* why) {
  return known ? fmt::format("sigma {:.2f} %", 100 * spread.sigma) : std::string(why);
}

}  // namespace

std::string calibrate_variability_text(const study::VariabilityCalibration& made,
                                       const std::string& file, report::Style style) {
  const MeasuredVariability& predicted = made.measured;
  report::Sheet sheet(style);
  sheet.line(
      style.strong(fmt::format("{}, {}", plural(predicted.ranks, "rank"),
                               plural(static_cast<std::uint64_t>(predicted.steps), "step"))));
  sheet.add("speed", spread_words(predicted.speed_known, predicted.variability.speed,
                                  "of one rank, unknown"));
  sheet.add("jitter", spread_words(predicted.jitter_known, predicted.variability.jitter,
                                   "of one step, unknown: it is in the speed"));
  sheet.add("network", spread_words(predicted.network_known, predicted.variability.network,
                                    "of one step, unknown"));
  sheet.add("stalls",
            predicted.stalled == 0
                ? std::string("none")
                : fmt::format("{} (one in {:.0f}), {} in the mean", count(predicted.stalled),
                              1 / predicted.variability.stalls.rate,
                              format_time(predicted.variability.stalls.mean)));
  if (!file.empty()) sheet.add("written", printable(file));
  report::add_findings(sheet, made.findings, style);
  return sheet.text();
}

std::string calibrate_variability_json(const study::VariabilityCalibration& made,
                                       const std::string& file) {
  return report::envelope("calibrate", made.findings, [&](JsonWriter& json) {
    const MeasuredVariability& predicted = made.measured;
    json.begin_object().field("ranks", predicted.ranks).field("steps", predicted.steps);
    if (predicted.speed_known) json.field("speed_sigma", predicted.variability.speed.sigma);
    if (predicted.jitter_known) json.field("jitter_sigma", predicted.variability.jitter.sigma);
    if (predicted.network_known) json.field("network_sigma", predicted.variability.network.sigma);
    json.field("stalled_steps", predicted.stalled)
        .field("stall_share", predicted.variability.stalls.rate);
    json.nanoseconds("stall_mean", predicted.variability.stalls.mean);
    json.field("file", std::string_view(file)).end_object();
  });
}

}  // namespace orrery::present
