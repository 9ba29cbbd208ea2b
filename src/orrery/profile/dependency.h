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
  thread,        ///< the step before on the same thread
  inter_thread,  ///< forward → backward, and hand-offs between threads
  launch,        ///< call → the device work it launched
  sync,          ///< device work → the call that waited for it
  stream,        ///< the work before on the same stream
  stream_wait,   ///< across streams, by event record and wait
  tensor,        ///< producer → consumer of a tensor (off by default: implied by the others)
  nothing
};
inline constexpr std::size_t kDependencyKinds = 7;
[[nodiscard]] std::string_view name(DependencyKind kind);

struct Dependency {
  EventId from = kNoEvent;
  DependencyKind kind = DependencyKind::nothing;
  bool guessed = false;  ///< inferred, not recorded
};

struct DependencyOptions {
  bool tensors = false;
  /// A gap on a thread at least this long is taken for a wait on another thread when that one fell
  /// idle at its end, or a tenth as long when that one stayed idle so long.
  Time inter_thread_gap = us(1000);
  /// How much of a device work's delay (see device_delay) becomes part of its cost; of the first
  /// work recorded on a stream, all of it, because what kept the stream busy was not recorded. With
  /// zero, none: costs are durations.
  Time delay{};
};

}  // namespace orrery::profile
