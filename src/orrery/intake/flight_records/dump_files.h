// SPDX-License-Identifier: Apache-2.0
//
// Finds the dumps of PyTorch's flight recorder, one for each rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/trace/flight_recorder/dump.h"

namespace orrery::intake {

struct RankDump {
  std::uint32_t rank = 0;
  std::string file;
  trace::flight_recorder::Dump dump;
};

/// Whether one of the first 16 files of the paths (folders, files, patterns) is a dump.
[[nodiscard]] bool has_flight_records(const std::vector<std::string>& paths);

/// The dumps in folders, files, patterns and archives, by rank. The rank is in the name of the
/// file: nccl_trace_rank_3, host_dump_3, rank3.json. Other files of folders and patterns are
/// skipped and counted (file_skipped). Errc: those of trace::inputs_in and of the reader of dumps;
/// input_unsupported (a name without a rank), input_duplicate_id (two dumps of a rank),
/// input_empty.
[[nodiscard]] Result<std::vector<RankDump>> read_flight_records(
    const std::vector<std::string>& paths, Findings& findings);

}  // namespace orrery::intake
