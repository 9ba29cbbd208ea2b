// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/models.h"

#include "orrery/platform/networks.h"

namespace orrery::study {

std::string_view name(platform::Rules rules) {
  return rules == platform::Rules::astra ? "astra" : "orrery";
}

std::string_view name(platform::NetworkModelKind network) { return platform::entry(network).name; }

std::string_view compute_word(const platform::Platform& platform) {
  if (platform.replay_only) return "replay";
  if (platform.device.roofline) return "roofline";
  return platform.device.roofline_without_duration ? "recorded_or_roofline" : "recorded";
}

}  // namespace orrery::study
