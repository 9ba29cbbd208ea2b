// SPDX-License-Identifier: Apache-2.0
//
// A workload in memory as Chakra traces.
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

/// PREFIX.0.et … and, where there are groups, PREFIX.json. Durations are exact. Groups by axis
/// cannot be written so: there are to be none. Files appear whole; where one fails, those before it
/// are removed. Errc: usage where `prefix` names no file, output_exists unless `force` (of a larger
/// job's traces always), output_failed.
[[nodiscard]] Result<WorkloadWriteReport> write_chakra_workload(const graph::Workload& workload,
                                                                const std::string& prefix,
                                                                bool force);

}  // namespace orrery::study
