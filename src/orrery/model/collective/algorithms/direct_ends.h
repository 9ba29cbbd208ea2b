// SPDX-License-Identifier: Apache-2.0
//
// The end of a direct phase: every position sends to every other, with `window` messages in flight.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::model {

/// False: direct_ends() would need too much memory (many positions, and a window that is smaller
/// than the ring).
[[nodiscard]] bool direct_has_closed_form(const PhaseSpec& spec);

/// Like uniform_duration(). O(1) with a full window and one message time, otherwise
/// O(steps log steps).
[[nodiscard]] std::int64_t direct_uniform_duration(const PhaseSpec& spec);

/// Like phase_ends(). With a full window it uses a formula: O(n) with one message time (all-reduce
/// O(n log n)), otherwise O(n² log n). With a smaller window it replays: O(messages log messages).
void direct_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                 std::span<std::int64_t> ends, const MessageTimes& times);

/// Replays the sends and receives of all positions in order of time; exact for any window. If
/// `begins` has one element, that position represents all others: all begin together, and times
/// depend only on keys.
void replay_direct(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                   std::span<std::int64_t> ends, const MessageTimes& times);

}  // namespace orrery::model
