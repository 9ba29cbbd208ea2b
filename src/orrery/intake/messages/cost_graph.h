// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's graphs with estimated times as a workload.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::intake {

/// Nodes of one session as one rank: each device is a stream that executes its nodes one after
/// another, for their estimated times. A node without an estimate takes no time; if no node has
/// one, that is a finding (default_assumed). Nodes of different devices do not wait for each other:
/// the file does not state it. Errc: input_corrupt, input_truncated, input_duplicate_id,
/// input_dangling_dep, input_self_edge, input_cycle (loops of the graph), input_range,
/// input_empty, limit_exceeded, and those of `source`.
[[nodiscard]] Result<graph::Workload> read_cost_graph(trace::ByteSource& source,
                                                      const std::string& where, Findings& findings);

}  // namespace orrery::intake
