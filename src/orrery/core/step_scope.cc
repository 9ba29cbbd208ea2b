// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/step_scope.h"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

constexpr std::array<std::string_view, kStepPhases> kNames = {"", "forward", "backward",
                                                              "optimizer"};

}  // namespace

std::string_view name(StepPhase phase) { return kNames[static_cast<std::size_t>(phase)]; }

StepPhase parse_phase(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? StepPhase::unsaid : static_cast<StepPhase>(found - kNames.begin());
}

}  // namespace orrery
