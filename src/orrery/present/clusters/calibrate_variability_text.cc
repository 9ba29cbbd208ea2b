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
  const MeasuredVariability& told = made.measured;
  report::Sheet sheet(style);
  sheet.line(style.strong(fmt::format("{}, {}", plural(told.ranks, "rank"),
                                      plural(static_cast<std::uint64_t>(told.steps), "step"))));
  sheet.add("speed",
            spread_words(told.speed_known, told.variability.speed, "of one rank, unknown"));
  sheet.add("jitter", spread_words(told.jitter_known, told.variability.jitter,
                                   "of one step, unknown: it is in the speed"));
  sheet.add("network",
            spread_words(told.network_known, told.variability.network, "of one step, unknown"));
  sheet.add("stalls", told.stalled == 0
                          ? std::string("none")
                          : fmt::format("{} (one in {:.0f}), {} in the mean", count(told.stalled),
                                        1 / told.variability.stalls.rate,
                                        format_time(told.variability.stalls.mean)));
  if (!file.empty()) sheet.add("written", printable(file));
  report::add_findings(sheet, made.findings, style);
  return sheet.text();
}

std::string calibrate_variability_json(const study::VariabilityCalibration& made,
                                       const std::string& file) {
  return report::envelope("calibrate", made.findings, [&](JsonWriter& json) {
    const MeasuredVariability& told = made.measured;
    json.begin_object().field("ranks", told.ranks).field("steps", told.steps);
    if (told.speed_known) json.field("speed_sigma", told.variability.speed.sigma);
    if (told.jitter_known) json.field("jitter_sigma", told.variability.jitter.sigma);
    if (told.network_known) json.field("network_sigma", told.variability.network.sigma);
    json.field("stalled_steps", told.stalled).field("stall_share", told.variability.stalls.rate);
    json.nanoseconds("stall_mean", told.variability.stalls.mean);
    json.field("file", std::string_view(file)).end_object();
  });
}

}  // namespace orrery::present
