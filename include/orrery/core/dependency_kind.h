// SPDX-License-Identifier: Apache-2.0
//
// Why one piece of work waits for another: in recordings, graphs and runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// The kind of a dependency (the first six after `unsaid` as in Lumos, arXiv 2504.09307 §3).
enum class DependencyKind : std::uint8_t {
  unsaid,         ///< the trace does not say
  thread,         ///< the previous step on the same thread
  inter_thread,   ///< forward to backward, hand-offs between threads
  launch,         ///< a call, and the device's work that it launched
  sync,           ///< the device's work, and the call that waited for it
  stream,         ///< the previous work on the same stream
  stream_wait,    ///< across streams, by event record and wait; node to node of a captured graph
  tensor,         ///< producer and consumer of a tensor
  learned,        ///< inferred: work of another stream ended just before a late one began
  recorded_wait,  ///< nothing explains the wait; it lasts as long as it was recorded
  start           ///< from the beginning of the recording
};
inline constexpr std::size_t kDependencyKinds = 11;
/// "thread", "stream_wait" …
[[nodiscard]] std::string_view name(DependencyKind kind);
/// The kind of that name; unsaid for any other.
[[nodiscard]] DependencyKind dependency_kind(std::string_view name);

}  // namespace orrery
