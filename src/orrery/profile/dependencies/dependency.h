// SPDX-License-Identifier: Apache-2.0
//
// One event's wait for another, and how such waits are to be found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/dependency_kind.h"
#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

struct Dependency {
  EventId from = kNoEvent;
  DependencyKind kind = DependencyKind::unsaid;
  bool guessed = false;  ///< inferred, not recorded
  /// How long after the end of `from` the event may begin at the earliest: launch latency, the time
  /// between two works, a recorded wait. Nobody's work.
  Time lag{};
};

struct DependencyOptions {
  bool tensors = false;
  /// A gap on a thread at least this long is taken for a wait on another thread when that one fell
  /// idle at its end, or a tenth as long when that one stayed idle so long.
  Time inter_thread_gap = us(1000);
};

}  // namespace orrery::profile
