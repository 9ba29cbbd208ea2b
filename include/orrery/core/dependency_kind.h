// SPDX-License-Identifier: Apache-2.0
//
// Why a piece of work depends on another one: in recordings, graphs and runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// The kind of a dependency (the first six after `unsaid` as in Lumos, arXiv 2504.09307 §3).
enum class DependencyKind : std::uint8_t {
  unsaid,         ///< not stated in the trace
  thread,         ///< the previous step on the same thread
  inter_thread,   ///< forward to backward, hand-offs between threads
  launch,         ///< from a call to the device work that it launched
  sync,           ///< from device work to the call that waited for it
  stream,         ///< previous work on the same stream
  stream_wait,    ///< across streams, by event record and wait; node to node of a captured graph
  tensor,         ///< producer and consumer of a tensor
  learned,        ///< inferred: work of another stream ended just before a late start
  recorded_wait,  ///< recorded wait of unknown cause, with its recorded duration
  start,          ///< from the start of the recording
  poll            ///< to a thread that reads what a work writes before it ends, from what that work
                  ///< waits for; the lag contains the work's time until then
};
inline constexpr std::size_t kDependencyKinds = 12;
/// "thread", "stream_wait" …
[[nodiscard]] std::string_view name(DependencyKind kind);
/// The kind with this name; unsaid for any other text.
[[nodiscard]] DependencyKind dependency_kind(std::string_view name);

}  // namespace orrery
