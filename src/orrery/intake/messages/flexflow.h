// SPDX-License-Identifier: Apache-2.0
//
// Reads task graphs of FlexFlow's simulator, as dot.
//
//   digraph taskgraph {
//     node0 [label="{ npu=0 | linear_1 | fwd | COMP_NODE | wall_clock_time=4.2e-05
//     }",shape=record]; node1 [label="{ npu=0 | act | fwd | COMM_SEND_RECV_NODE | src=0 | dst=1 |
//     size=65536 }"]; node2 [label="{ npu=1 | linear_2 | fwd | COMP_NODE | wall_clock_time=8.4e-05
//     }"]; node0 -> node1 -> node2;
//   }
//
// The fields of a label are known by their position: NPU, name, one that is not used, kind; then
// seconds, or source, destination and bytes. Source: FlexFlow2ChakraConverter of mlcommons/chakra
// (src/converter/flexflow2chakra_converter.py, before its removal).
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::intake {

/// An NPU becomes a rank that computes one task at a time. A communication becomes a send on its
/// source and a receive on its destination. A dependency holds on every rank that has both ends.
/// Errc: input_corrupt, input_range, input_truncated, input_duplicate_id, input_dangling_dep (an
/// edge from or to no node, or between NPUs without a message), input_cycle, input_self_edge,
/// input_unsupported (other kinds of nodes, subgraphs), input_missing_attr, input_empty,
/// limit_exceeded, and those of `source`.
[[nodiscard]] Result<graph::Workload> read_flexflow(trace::ByteSource& source,
                                                    const std::string& where, Findings& findings);

}  // namespace orrery::intake
