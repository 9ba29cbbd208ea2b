// SPDX-License-Identifier: Apache-2.0
//
// One event's wait for another, and how such waits are to be found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Why one event waits for another (Lumos, arXiv 2504.09307 §3, has the first six).
enum class DependencyKind : std::uint8_t {
  thread,         ///< the step before on the same thread
  inter_thread,   ///< forward → backward, and hand-offs between threads
  launch,         ///< call → the device work it launched
  sync,           ///< device work → the call that waited for it
  stream,         ///< the work before on the same stream
  stream_wait,    ///< across streams, by event record and wait; node → node of a graph
  tensor,         ///< producer → consumer of a tensor (off by default: implied by the others)
  learned,        ///< work of another stream → what began just after it had ended, and was late
  recorded_wait,  ///< what was waited for last before a wait that nothing explains
  nothing
};
inline constexpr std::size_t kDependencyKinds = 9;
[[nodiscard]] std::string_view name(DependencyKind kind);

struct Dependency {
  EventId from = kNoEvent;
  DependencyKind kind = DependencyKind::nothing;
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
