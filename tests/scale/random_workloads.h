// SPDX-License-Identifier: Apache-2.0
//
// Random workloads for a given number of ranks.
#pragma once

#include "orrery/graph/workload.h"
#include "random_choices.h"

namespace orrery::scale {

/// Roles along one digit of the rank's number, groups on axes, peers by their distance; now and
/// then said at length, one graph per rank. `loop`: see draw_steps().
[[nodiscard]] graph::Workload draw_axes(Draw& draw, std::uint32_t ranks, bool loop = false);

/// Roles of their own, in as many copies as there is room for: what one copy sends to another, all
/// send as far; groups take members from several copies, all in the same way. With one copy: no
/// symmetry at all. A graph per rank, groups by names in any order, peers by number or distance,
/// ranks laid out in order or anyhow.
[[nodiscard]] graph::Workload draw_lift(Draw& draw, std::uint32_t ranks, bool loop = false);

/// A divisor of `number`, any of them.
[[nodiscard]] std::uint32_t draw_divisor(Draw& draw, std::uint32_t number);

}  // namespace orrery::scale
