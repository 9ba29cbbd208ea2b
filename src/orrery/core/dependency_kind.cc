// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/dependency_kind.h"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

constexpr std::array<std::string_view, kDependencyKinds> kDependencyNames = {
    "unsaid",      "thread", "inter_thread", "launch",        "sync",  "stream",
    "stream_wait", "tensor", "learned",      "recorded_wait", "start", "poll"};

}  // namespace

std::string_view name(DependencyKind kind) {
  return kDependencyNames[static_cast<std::size_t>(kind)];
}

DependencyKind dependency_kind(std::string_view name) {
  const auto found = std::find(kDependencyNames.begin(), kDependencyNames.end(), name);
  return found == kDependencyNames.end()
             ? DependencyKind::unsaid
             : static_cast<DependencyKind>(found - kDependencyNames.begin());
}

}  // namespace orrery
