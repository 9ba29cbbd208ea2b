// SPDX-License-Identifier: Apache-2.0
//
// A plan as one graph per rank, which a simulation runs like any custom collective.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// What a signal, or the request of a read, takes on the network: one word of 64 bits.
inline constexpr std::int64_t kSignalBytes = 8;

/// Sends and receives of shares of the collective's buffer (graph::PointToPoint::set_share), so
/// that one plan serves every size; reductions and copies as compute nodes that take no time of
/// their own.
///
/// A block goes on when what it sends has arrived: blocks are one after the other as connections
/// are. A put is a message that nobody waits for; a signal after it a message of kSignalBytes, and
/// one that goes with a put is in it. A read is a request and an answer. What a switch adds and
/// multiplies are a message for each rank.
///
/// O(steps + edges). Errc: input_unsupported, with the first reason, for a plan that cannot run to
/// its end.
[[nodiscard]] Result<std::vector<graph::GraphRef>> lower_plan(const Plan& plan);

}  // namespace orrery::synthesis
