// SPDX-License-Identifier: Apache-2.0
//
// Writes a workload in memory as Chakra traces.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::study {

struct WorkloadWriteReport {
  std::uint64_t ranks = 0;
  std::uint64_t nodes = 0;  ///< over all ranks
  std::uint64_t groups = 0;
};

/// Writes PREFIX.0.et …, and PREFIX.json if there are groups. Durations are exact. The workload
/// must not have groups along axes. Each file is written completely; after an error no file
/// remains. Errc: usage if `prefix` names no file, output_exists unless `force` (always for traces
/// of a larger job), output_failed.
[[nodiscard]] Result<WorkloadWriteReport> write_chakra_workload(const graph::Workload& workload,
                                                                const std::string& prefix,
                                                                bool force);

}  // namespace orrery::study
