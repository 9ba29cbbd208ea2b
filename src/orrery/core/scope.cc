// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/scope.h"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

constexpr std::array<std::string_view, kPhases> kNames = {"", "forward", "backward", "optimizer"};

}  // namespace

std::string_view name(Phase phase) { return kNames[static_cast<std::size_t>(phase)]; }

Phase parse_phase(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? Phase::unsaid : static_cast<Phase>(found - kNames.begin());
}

}  // namespace orrery
