// SPDX-License-Identifier: Apache-2.0
//
// Reads the lists of flows that RDMA simulations in ns-3 take (FLOW_FILE), SimAI's among them.
//
//   2                                the number of flows
//   0 1 3 100 2000000 2.0            source, destination, priority group, port, bytes, start (s)
//   2 1 3 101 4096 2.000001
//
// With 5 columns there is no port, with 7 a flow number comes first. Source: ReadFlowInput in the
// third.cc of alibaba-edu/High-Precision-Congestion-Control and of its successors.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/intake/messages/flow_graphs.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::intake {

/// Hosts are ranks. Time begins with the first flow. Priority groups and ports are ignored. Errc:
/// input_corrupt, input_range, input_truncated (fewer flows than declared), input_empty, and those
/// of `source`. More flows than declared are not used, as in ns-3, and counted (attr_ignored).
[[nodiscard]] Result<FlowTable> read_flow_list(trace::ByteSource& source, const std::string& where,
                                               Findings& findings);

}  // namespace orrery::intake
