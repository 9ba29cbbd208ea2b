// SPDX-License-Identifier: Apache-2.0
//
// Converts JSON files that contain only communications: PARAM's records for replay, and traces of
// MPI calls.
//
// PARAM (one file per rank): a list of {"comms": "all_reduce", "in_msg_size": elements,
// "out_msg_size", "dtype", "req", "pg_id", "global_ranks", "root", "in_split", "out_split",
// "src_rank", "dst_rank"} and {"compute": "gemm", "mm_dim", "count" …}. Each communication waits
// for the previous one in its group, and for the rank's last wait or computation. Three records
// block the rank: a "wait" for a "req", a "barrier", and a computation.
//
// MPI (one file for all ranks): Chrome trace events named after MPI calls, "pid" the process, with
// "count", "datatype" (Open MPI's number), "comm", "dest" or "source" (a process) and "tag". A
// process executes its calls in order. A gap between two calls becomes computation. Isend and Irecv
// do not block; MPI_Wait and MPI_Waitall wait for all open requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::intake {

struct CommsTextReport {
  std::uint32_t ranks = 0;
  std::uint64_t nodes = 0, edges = 0;
  std::uint64_t collectives = 0, sends = 0, receives = 0;
};

/// Writes `<prefix>.<rank>.et`. Several files: one rank each, in this order (rank_from_order).
/// Incomplete records are dropped and counted (corrupt_record_dropped). MPI calls that do not
/// communicate become computation. Unknown sizes and peers are counted (comm_size_unknown,
/// comm_peer_unknown). Errc: input_*, output_exists unless `force`, output_failed.
[[nodiscard]] Result<CommsTextReport> convert_comms_text(const std::vector<std::string>& paths,
                                                         const std::string& prefix, bool force,
                                                         Findings& findings);

}  // namespace orrery::intake
