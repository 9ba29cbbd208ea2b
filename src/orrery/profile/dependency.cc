// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/dependency.h"

#include <array>

namespace orrery::profile {

std::string_view name(DependencyKind kind) {
  constexpr std::array<std::string_view, kDependencyKinds + 1> kNames = {
      "thread",      "inter_thread", "launch",  "sync",          "stream",
      "stream_wait", "tensor",       "learned", "recorded_wait", "nothing"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace orrery::profile
