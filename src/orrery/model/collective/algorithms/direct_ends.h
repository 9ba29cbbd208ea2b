// SPDX-License-Identifier: Apache-2.0
//
// When a direct phase ends: every position sends to every other, `window` messages in flight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::model {

/// False where direct_ends() would need too much memory: a window smaller than the ring, and many
/// positions.
[[nodiscard]] bool direct_has_closed_form(const PhaseSpec& spec);

/// As uniform_duration(). O(1) with a full window and one message time, O(steps log steps)
/// otherwise.
[[nodiscard]] std::int64_t direct_uniform_duration(const PhaseSpec& spec);

/// As phase_ends(). A full window is worked out by formula: O(n) with one message time (all-reduce
/// O(n log n)), O(n² log n) otherwise. A smaller one by replaying: O(messages log messages).
void direct_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                 std::span<std::int64_t> ends, const MessageTimes& times);

/// Replays the sends and receives of all positions in order of time, exact for any window. With
/// one position it stands for all others: they begin together, and times depend on keys alone.
void replay_direct(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                   std::span<std::int64_t> ends, const MessageTimes& times);

}  // namespace orrery::model
