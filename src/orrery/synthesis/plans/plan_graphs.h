// SPDX-License-Identifier: Apache-2.0
//
// Lowers a plan to one graph per rank, which the simulator runs as a custom collective.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Network size of a signal or of a read request: one 64-bit word.
inline constexpr std::int64_t kSignalBytes = 8;

/// Lowers a plan to sends and receives of shares of the collective's buffer
/// (graph::PointToPoint::set_share), so that one plan serves all sizes. Reductions and copies are
/// compute nodes without a duration.
///
/// A block continues when its message has arrived, since the steps of a block and the messages of a
/// connection run one after another. A put is a message without a waiting receiver. A signal after
/// a put is a message of kSignalBytes; a combined put and signal is one message. A read is a
/// request and an answer. Sums and multicasts in a switch are one message per rank.
///
/// O(steps + edges). Errc: input_unsupported, with the first reason, for a plan that cannot run to
/// its end.
[[nodiscard]] Result<std::vector<graph::GraphRef>> lower_plan(const Plan& plan);

}  // namespace orrery::synthesis
