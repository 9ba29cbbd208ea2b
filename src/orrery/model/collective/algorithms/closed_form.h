// SPDX-License-Identifier: Apache-2.0
//
// The end of a collective's phase in closed form, without simulating its messages.
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

/// Whether phase_ends() supports this phase. It supports all algorithms except in-network, if
/// packets wait a fixed time at the end point (not on the shared bus). It does not support direct
/// if messages may have to be replayed and there are more than 4 million; uniform_duration()
/// supports these, too. O(1).
[[nodiscard]] bool has_closed_form(const PhaseSpec& spec);

/// The end of the phase at every position, if all positions begin at 0 and the messages of one step
/// have equal times everywhere (delay_by_key is not empty). Empty: the ends of positions differ
/// (trees), or delays by key are unknown. MultiDimFabric::kTooLong: beyond the clock. O(1) for a
/// ring, and for direct with a full window and one message time; O(log positions) for
/// halving-doubling; otherwise, for direct, O(steps log steps).
[[nodiscard]] std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec);

/// Computes the end of the phase at each position from its begin at each position. The result is
/// exactly that of a simulation of every message under Orrery rules on an uncontended network.
/// `begins` and `ends` are picoseconds by position (ring.size each) and must not overlap in memory.
/// No position ends before all have begun. The function calls `delay` only if spec.delay_by_key is
/// empty. No time is negative; an end beyond the clock is MultiDimFabric::kTooLong.
///
/// Ring: F(p, i+1) = max(F(p-1, i) + d, F(p, i)) + c(i+1), in max-plus algebra a power of a
/// circulant matrix, so one sliding maximum over the ring gives the last step. O(positions),
/// whatever the delays between neighbors. Halving-doubling: O(positions log positions). Trees:
/// O(positions). Direct: O(positions log positions) with a full window and one message time;
/// O(positions² log positions) with a full window; O(messages log messages) with a smaller one, or
/// if packets of the second half of an all-reduce overtake those of its first half.
void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                std::span<std::int64_t> ends, const DelayBetween& delay);

}  // namespace orrery::model
