// SPDX-License-Identifier: Apache-2.0
//
// Communications alone, as JSON: PARAM's records for replay, and traces of MPI calls.
//
// PARAM (one file per rank): a list of {"comms": "all_reduce", "in_msg_size": elements,
// "out_msg_size", "dtype", "req", "pg_id", "global_ranks", "root", "in_split", "out_split",
// "src_rank", "dst_rank"} and {"compute": "gemm", "mm_dim", "count" …}. Each communication waits
// for the one before in its group and for what the rank waited for or computed before; a "wait" for
// its "req", a "barrier" and a computation hold the rank up.
//
// MPI (one file for all ranks): Chrome's trace events named after MPI's calls, "pid" the process,
// with "count", "datatype" (Open MPI's number), "comm", "dest" or "source" (a process) and "tag".
// A process does one thing after the other; what begins later than the last thing ended leaves a
// gap, which becomes computation. Isend and Irecv hold nothing up until MPI_Wait or MPI_Waitall,
// which wait for all that is open.
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
/// Records without what they need are dropped and counted (corrupt_record_dropped), MPI calls that
/// do not communicate become computation; sizes and peers that nothing says are counted
/// (comm_size_unknown, comm_peer_unknown). Errc: input_*, output_exists unless
/// `force`, output_failed.
[[nodiscard]] Result<CommsTextReport> convert_comms_text(const std::vector<std::string>& paths,
                                                         const std::string& prefix, bool force,
                                                         Findings& findings);

}  // namespace orrery::intake
