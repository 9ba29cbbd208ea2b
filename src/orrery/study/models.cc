// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/models.h"

#include <fmt/format.h>

#include "orrery/core/text.h"
#include "orrery/platform/networks.h"

namespace orrery::study {

std::string_view name(platform::Rules rules) {
  return rules == platform::Rules::astra ? "astra" : "orrery";
}

std::string_view name(platform::NetworkModelKind network) { return platform::entry(network).name; }

std::string compute_model(const platform::Platform& platform) {
  if (platform.replay_only) return "every node takes its recorded duration";
  const std::string roofline = platform.device.name.empty()
                                   ? "roofline"
                                   : fmt::format("roofline on {}", printable(platform.device.name));
  if (platform.device.roofline) return roofline;
  if (platform.device.roofline_without_duration)
    return fmt::format("recorded durations, else {}", roofline);
  return "recorded durations";
}

std::string_view compute_word(const platform::Platform& platform) {
  if (platform.replay_only) return "replay";
  if (platform.device.roofline) return "roofline";
  return platform.device.roofline_without_duration ? "recorded_or_roofline" : "recorded";
}

std::string network_model(const platform::Platform& platform) {
  const platform::NetworkEntry& network = platform::entry(platform.network);
  return fmt::format("{} ({})", network.name, network.model);
}

}  // namespace orrery::study
