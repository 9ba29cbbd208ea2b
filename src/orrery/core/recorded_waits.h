// SPDX-License-Identifier: Apache-2.0
//
// Names of nodes that represent recorded waits, in converted traces and in runs.
#pragma once

#include <string_view>

namespace orrery {

/// Until a rank, or a thread without a known cause, starts.
inline constexpr std::string_view kRecordedStart = "[recorded start]";
/// Idle time of a thread before a communication on that thread.
inline constexpr std::string_view kRecordedPause = "[recorded pause]";

/// Whether a node with this name is a wait, not work.
[[nodiscard]] constexpr bool is_recorded_wait(std::string_view name) {
  return name == kRecordedStart || name == kRecordedPause;
}

}  // namespace orrery
