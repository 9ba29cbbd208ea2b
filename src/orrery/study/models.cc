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
  const platform::Device& device = platform.device;
  if (device.compute != platform::ComputeModel::automatic) return platform::name(device.compute);
  if (!device.kernel_table.empty()) return "recorded_or_table";
  return device.has_own_peak() ? "recorded_or_roofline" : "auto";
}

}  // namespace orrery::study
