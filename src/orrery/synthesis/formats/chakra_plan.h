// SPDX-License-Identifier: Apache-2.0
//
// A custom collective's Chakra traces, one per rank, looked at as a plan. The other way is
// lower_plan().
#pragma once

#include <span>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Sends and receives become steps, those of a connection (peer and tag) a block, in an order that
/// the trace allows; other nodes are steps that do nothing. Sizes in chunks (msg_chunk_cnt,
/// msg_chunk_idx, total_chunk_cnt; astra-sim's CollectiveAPI) are places of the input; sizes in
/// bytes are one chunk each, and no place. A receive whose only successor computes adds. What
/// collective it is no trace says. Errc: input_empty, limit_exceeded, input_range (a peer that is
/// no member), input_missing_attr (a message without its peer).
[[nodiscard]] Result<Plan> plan_of_graphs(std::span<const graph::GraphRef> graphs,
                                          const std::string& where);

}  // namespace orrery::synthesis
