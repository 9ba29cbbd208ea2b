// SPDX-License-Identifier: Apache-2.0
//
// The completed operations of PyTorch's flight recorders as a workload.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/intake/flight_records/dump_files.h"

namespace orrery::intake {

/// The graph of each rank with a dump. Ranks are numbered from 0 in the order of the dumps, if some
/// of the job have none.
///
/// - Host: the time between the calls of a rank, by its clock, as waits ("[recorded host time]").
///   The first one lasts from the first call of all ranks.
/// - Each collective that all of its ranks with a dump completed waits for its call, and for the
///   collective before it in its group (PyTorch has a stream for each group). Its size is that of
///   profile::Comm::bytes(), the largest of all ranks, its duration the shortest recorded one, or
///   0. A coalesced one has the bytes of all of its operations. Roots are not recorded: 0.
/// - A collective of ranks without a dump gets a group of its own rank ("NAME/alone@RANK", the
///   recorded number) and keeps its recorded duration (comm_alone).
/// - A completed message waits for its call and for the message before it between the same ranks;
///   messages of one batch do not wait for each other.
/// - What is stuck is left out (recorded_hang), and so is what some ranks completed and others did
///   not record (call_not_complete).
///
/// Errc: input_empty (no operation that all of its ranks completed), and those of
/// GraphBuilder::finish. O(records log records).
[[nodiscard]] Result<graph::Workload> workload_of_flight_records(
    const std::vector<RankDump>& dumps);

/// The same from files: see read_flight_records. More than the recorded `ranks`: the others do
/// nothing. Errc: config_conflict if there are more dumps than `ranks`, and those of both.
[[nodiscard]] Result<graph::Workload> read_flight_record_workload(
    const std::vector<std::string>& paths, std::uint32_t ranks);

}  // namespace orrery::intake
