// SPDX-License-Identifier: Apache-2.0
//
// Reads the Chakra traces of a custom collective, one per rank, as a plan. lower_plan() is the
// inverse.
#pragma once

#include <span>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Sends and receives become steps. Those of a connection (peer and tag) form a block, in an order
/// that the trace allows; other nodes become steps without an effect. Sizes in chunks
/// (msg_chunk_cnt, msg_chunk_idx, total_chunk_cnt; astra-sim's CollectiveAPI) are places of the
/// input. Sizes in bytes count as one chunk each, without a place. A receive whose only successor
/// is a computation adds. Traces do not state the collective. Errc: input_empty, limit_exceeded,
/// input_range (a peer that is no member), input_missing_attr (a message without its peer).
[[nodiscard]] Result<Plan> plan_of_graphs(std::span<const graph::GraphRef> graphs,
                                          const std::string& where);

}  // namespace orrery::synthesis
