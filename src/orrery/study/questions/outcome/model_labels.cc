// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/model_labels.h"

#include <fmt/format.h>

#include "orrery/core/models/network_names.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/core/text/units.h"
#include "orrery/model/compute/step_overhead.h"
#include "orrery/model/kernels/silicon_of.h"

namespace orrery::study {

std::string_view name(platform::Rules rules) {
  return rules == platform::Rules::astra ? "astra" : "orrery";
}

std::string_view name(platform::NetworkModelKind network) { return network_model(network).name; }

std::string compute_label(const platform::Platform& platform) {
  if (platform.replay_only) return "replay";
  const platform::Device& device = platform.device;
  if (device.compute != TimeSource::automatic) return std::string(name(device.compute));
  std::string word = "recorded";
  for (const KernelFileEntry& row : kKernelFileTable)
    if (row.is_used_by_auto && !(device.kernel_files.*row.path).empty())
      word += fmt::format("_or_{}", name(row.source));
  if (word != "recorded") return word;
  return device.has_custom_peak() ? "recorded_or_roofline" : "auto";
}

bool predicts_kernels(const platform::Platform& platform) {
  const platform::Device& device = platform.device;
  if (platform.replay_only || platform.rules == platform::Rules::astra) return false;
  if (device.compute == TimeSource::automatic)
    return !device.has_custom_peak() || has_file_for_auto(device.kernel_files);
  return device.compute != TimeSource::recorded && device.compute != TimeSource::roofline;
}

std::string in_step_label(const platform::Platform& platform) {
  if (!predicts_kernels(platform)) return "";
  const platform::Device& device = platform.device;
  const Time gap = model::launch_gap_of(device, model::silicon_of(device));
  std::string text = gap == Time{} ? "" : fmt::format("gaps of {}", format_time(gap));
  for (const platform::StepEffects::Factor& factor : device.in_step.factors)
    text += fmt::format("{}x {:.2f} at {} bits ({:+.0f} to {:+.0f} %)", text.empty() ? "" : ", ",
                        factor.factor, factor.bits, 100 * factor.lower, 100 * factor.upper);
  if (device.power_limit_w > 0)
    text += fmt::format("{}limited to {} W", text.empty() ? "" : ", ", device.power_limit_w);
  const auto& overlap = device.in_step.overlap;
  const bool assumed =
      !overlap && platform.collectives.library == platform::CollectiveLibrary::nccl;
  if (overlap) {
    text += fmt::format("{}overlapping collectives x {:.2f} (products) and x {:.2f}",
                        text.empty() ? "" : ", ", overlap->products, overlap->others);
  } else if (assumed) {
    text +=
        fmt::format("{}slower when overlapping collectives (assumed)", text.empty() ? "" : ", ");
  }
  if (device.in_step.collectives)
    text += fmt::format("{}collectives x {:.2f}", text.empty() ? "" : ", ",
                        *device.in_step.collectives);
  return text;
}

std::string library_label(const model::LibraryTimes* library) {
  if (library == nullptr) return "";
  return library->curves().empty() ? "nccl, cost model alone" : "nccl, measured curves";
}

}  // namespace orrery::study
