// SPDX-License-Identifier: Apache-2.0
//
// Workloads of all ranks in one file: htsim's connection matrices, ns-3's lists of flows, GOAL
// schedules, task graphs of FlexFlow, cost graphs of TensorFlow.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::intake {

/// Whether a file, by its content, has one of these formats. False if it cannot be read.
[[nodiscard]] bool is_message_file(const std::string& path);

/// Reads the file, compressed or not. More than the ranks of the file: the others do nothing; 0: as
/// many as in the file. Errc: config_conflict for fewer; those of read_connection_matrix,
/// read_flow_list, read_goal, read_flexflow and read_cost_graph; input_not_found, input_read.
[[nodiscard]] Result<graph::Workload> read_message_file(const std::string& path,
                                                        std::uint32_t ranks);

/// The same from bytes of a known format, with as many ranks as in the file.
[[nodiscard]] Result<graph::Workload> read_messages(trace::ByteSource& source, trace::Format format,
                                                    const std::string& where, Findings& findings);

}  // namespace orrery::intake
