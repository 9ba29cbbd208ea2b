// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/models.h"

#include <fmt/format.h>

#include "orrery/core/units.h"
#include "orrery/model/compute/in_step.h"
#include "orrery/model/kernels/silicon_of.h"
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
  if (!device.kernel_table.empty())
    return device.kernel_model.empty() ? "recorded_or_table" : "recorded_or_table_or_fitted";
  if (!device.kernel_model.empty()) return "recorded_or_fitted";
  return device.has_own_peak() ? "recorded_or_roofline" : "auto";
}

bool tells_kernels(const platform::Platform& platform) {
  using platform::ComputeModel;
  const platform::Device& device = platform.device;
  if (platform.replay_only || platform.rules == platform::Rules::astra) return false;
  switch (device.compute) {
    case ComputeModel::automatic:
      return !device.has_own_peak() || !device.kernel_table.empty() || !device.kernel_model.empty();
    case ComputeModel::heuristic:
    case ComputeModel::learned:
    case ComputeModel::table:
    case ComputeModel::fitted:
    case ComputeModel::systolic:
      return true;
    default:
      return false;
  }
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
