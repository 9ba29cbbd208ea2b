// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/models.h"

#include <fmt/format.h>

#include "orrery/core/network_models.h"
#include "orrery/core/time_source_table.h"
#include "orrery/core/units.h"
#include "orrery/model/compute/in_step.h"
#include "orrery/model/kernels/silicon_of.h"

namespace orrery::study {

std::string_view name(platform::Rules rules) {
  return rules == platform::Rules::astra ? "astra" : "orrery";
}

std::string_view name(platform::NetworkModelKind network) { return network_model(network).name; }

std::string compute_word(const platform::Platform& platform) {
  if (platform.replay_only) return "replay";
  const platform::Device& device = platform.device;
  if (device.compute != TimeSource::automatic) return std::string(name(device.compute));
  std::string word = "recorded";
  for (const KernelFileEntry& row : kKernelFileTable)
    if (row.asked_by_auto && !(device.kernel_files.*row.path).empty())
      word += fmt::format("_or_{}", name(row.source));
  if (word != "recorded") return word;
  return device.has_own_peak() ? "recorded_or_roofline" : "auto";
}

bool tells_kernels(const platform::Platform& platform) {
  const platform::Device& device = platform.device;
  if (platform.replay_only || platform.rules == platform::Rules::astra) return false;
  if (device.compute == TimeSource::automatic)
    return !device.has_own_peak() || has_file_for_auto(device.kernel_files);
  return device.compute != TimeSource::recorded && device.compute != TimeSource::roofline;
}

std::string in_step_words(const platform::Platform& platform) {
  if (!tells_kernels(platform)) return "";
  const platform::Device& device = platform.device;
  const Time gap = model::gap_of(device, model::silicon_of(device));
  std::string words = gap == Time{} ? "" : fmt::format("{} between them", format_time(gap));
  for (const platform::InStep::Factor& factor : device.in_step.factors)
    words += fmt::format("{}x {:.2f} at {} bits ({:+.0f} to {:+.0f} %)", words.empty() ? "" : ", ",
                         factor.factor, factor.bits, 100 * factor.least, 100 * factor.most);
  const auto& beside = device.in_step.beside;
  const bool assumed = !beside && platform.collectives.library == platform::CollectiveLibrary::nccl;
  if (beside) {
    words += fmt::format("{}beside collectives x {:.2f} (products) and x {:.2f}",
                         words.empty() ? "" : ", ", beside->products, beside->others);
  } else if (assumed) {
    words += fmt::format("{}slower beside collectives (assumed)", words.empty() ? "" : ", ");
  }
  if (device.in_step.collectives)
    words += fmt::format("{}collectives x {:.2f}", words.empty() ? "" : ", ",
                         *device.in_step.collectives);
  return words;
}

std::string library_words(const model::LibraryTimes* library) {
  if (library == nullptr) return "";
  return library->curves().empty() ? "nccl, cost model alone" : "nccl, measured curves";
}

}  // namespace orrery::study
