// SPDX-License-Identifier: Apache-2.0
//
// Reads GOAL schedules as text (LogGOPSim, ATLAHS).
//
//   num_ranks 2
//   rank 0 {
//   l1: calc 1500                      nanoseconds
//   l2: send 65536b to 1 tag 0 cpu 0 nic 0
//   l2 requires l1                     l2 starts after l1 has ended
//   }
//   rank 1 {
//   l1: recv 65536b from 0 tag 0
//   l2: calc 100 cpu 1
//   l2 irequires l1                    l2 starts when l1 can start
//   }
//
// Source: the grammar in txt2bin.re of spcl/LogGOPSim (d5bb14a).
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::intake {

/// A GOAL rank becomes a rank, each of its processors (cpu) a stream of computation. The network
/// model replaces the overheads and gaps of LogGOPSim; `nic` is ignored. Errc: input_corrupt,
/// input_range, input_truncated (a rank without its closing brace), input_duplicate_id,
/// input_dangling_dep (unknown labels), input_cycle, input_self_edge, input_unsupported (receives
/// from any source or with any tag, collectives), input_missing_attr, limit_exceeded, and those of
/// `source`.
[[nodiscard]] Result<graph::Workload> read_goal(trace::ByteSource& source, const std::string& where,
                                                Findings& findings);

}  // namespace orrery::intake
