// SPDX-License-Identifier: Apache-2.0
//
// When a phase of a collective ends, worked out without sending its messages.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "orrery/model/collective/algorithms/phase_spec.h"

namespace orrery::model {

/// Time of a message of `bytes` from one position of the ring to another, in picoseconds.
using DelayBetween =
    std::function<std::int64_t(std::uint32_t from, std::uint32_t to, std::int64_t bytes)>;

/// Whether phase_ends() knows this phase: any algorithm, as long as its packets wait a fixed time
/// at the end point (not on the shared bus). Not direct where messages may have to be replayed and
/// there are more than 4 million; uniform_duration() knows those, too. O(1).
[[nodiscard]] bool has_closed_form(const PhaseSpec& spec);

/// When the phase ends at every position when all begin at 0 and messages of one step take the same
/// time everywhere (delay_by_key is there); empty where positions differ (trees) or delays are not
/// known by key. At most MultiDimFabric::kTooLong: beyond the clock. O(1) for a ring, and for
/// direct with a full window and one message time; O(log positions) for halving-doubling; direct
/// otherwise O(steps log steps).
[[nodiscard]] std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec);

/// When the phase ends at each position, given when each begins it (picoseconds; both by position,
/// ring.size of them, not the same memory): exactly what sending every message gives under Orrery
/// rules on an uncontended network. Nobody ends before everybody has begun. `delay` is asked only
/// where spec.delay_by_key is empty. No time is negative; an end beyond the clock is
/// MultiDimFabric::kTooLong.
///
/// Ring: F(p, i+1) = max(F(p-1, i) + d, F(p, i)) + c(i+1), in max-plus algebra a power of a
/// circulant matrix, so one sliding maximum over the ring gives the last step. O(positions),
/// however far apart neighbours are. Halving-doubling: O(positions log positions). Trees:
/// O(positions). Direct: O(positions log positions) with a full window and one message time;
/// O(positions² log positions) with a full window; O(messages log messages) with a smaller one, or
/// where packets of an all-reduce's second half overtake those of its first.
void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                std::span<std::int64_t> ends, const DelayBetween& delay);

}  // namespace orrery::model
