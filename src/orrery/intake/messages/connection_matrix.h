// SPDX-License-Identifier: Apache-2.0
//
// Reads htsim's connection matrices (.cm, .tm).
//
//   Nodes 16
//   Connections 3
//   Triggers 1
//   0->13 id 1 start 0 size 2000000 send_done_trigger 7     start: picoseconds
//   13->2 id 2 trigger 7 size 4096
//   2->0 id 3 trigger 7 size 4096 prio 3
//   trigger id 7 oneshot                                    oneshot, multishot or barrier count N
//
// Source: connection_matrix.cpp of Broadcom/csg-htsim (20b2297) and matrices of
// ultraethernet/uet-htsim (40ccb05).
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/intake/messages/flow_graphs.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::intake {

/// A trigger fires when a flow that names it has ended, a barrier when `count` flows have; htsim
/// also waits for the last acknowledgement (send_done_trigger), which is not modeled. Priorities
/// are ignored and counted (key_without_effect). Errc: input_corrupt, input_range, input_truncated
/// and input_mismatch (other numbers of flows or triggers than declared), input_duplicate_id,
/// input_unsupported (endless flows, failures, triggers that any of several flows can fire),
/// input_missing_attr, input_empty, and those of `source`.
[[nodiscard]] Result<FlowTable> read_connection_matrix(trace::ByteSource& source,
                                                       const std::string& where,
                                                       Findings& findings);

}  // namespace orrery::intake
