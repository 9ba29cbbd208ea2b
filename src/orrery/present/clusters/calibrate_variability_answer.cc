// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_variability_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

namespace {

/// A spread, which is not known (`unknown`: why) with too few ranks or steps.
void state_spread(report::Answer& answer, std::string_view label, std::string_view key, bool known,
                  const platform::FactorDistribution& spread, std::string_view unknown) {
  if (known)
    answer.row(label, key, spread.sigma, fmt::format("sigma {:.2f} %", 100 * spread.sigma));
  else
    answer.line(label, unknown);
}

}  // namespace

void state_variability_calibration(report::Answer& answer,
                                   const study::VariabilityCalibration& calibration,
                                   const std::string& file) {
  const study::MeasuredVariability& measured = calibration.measured;
  const platform::Variability& variability = measured.variability;
  const auto& stalls = variability.stalls;
  answer.title(fmt::format("{}, {}", plural(measured.ranks, "rank"),
                           plural(static_cast<std::uint64_t>(measured.steps), "step")));
  answer.field("ranks", measured.ranks).field("steps", measured.steps);
  state_spread(answer, "speed", "speed_sigma", measured.speed_known, variability.speed,
               "unknown with one rank");
  state_spread(answer, "jitter", "jitter_sigma", measured.jitter_known, variability.jitter,
               "unknown with one step: included in speed");
  state_spread(answer, "network", "network_sigma", measured.network_known, variability.network,
               "unknown with one step");
  answer.row("stalls", "stalled_steps", measured.stalled,
             measured.stalled == 0
                 ? std::string("none")
                 : fmt::format("{} (one in {:.0f}), {} on average", count(measured.stalled),
                               1 / stalls.rate, format_time(stalls.mean)));
  answer.field("stall_share", stalls.rate).field("stall_mean_ns", stalls.mean);
  if (!file.empty()) answer.line("written", printable(file));
  answer.field("file", file).findings(calibration.findings);
}

}  // namespace orrery::present
