// SPDX-License-Identifier: Apache-2.0
//
// What kernels take in a recording, beside what models say of the same job's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

/// Kernels of one operation, on one rank, in a step.
struct OperationTime {
  graph::Operation operation = graph::Operation::unsaid;
  Time recorded{}, predicted{};

  /// How much longer they were recorded to take.
  [[nodiscard]] double factor() const {
    return static_cast<double>(recorded.count()) / static_cast<double>(predicted.count());
  }
};

/// Of the first recorded rank and of the first rank of the job, whatever both have; most recorded
/// time first. `step`: as it was recorded, which says how many of them the recording holds. Errc:
/// as reading recordings.
[[nodiscard]] Result<std::vector<OperationTime>> compare_operation_times(
    const RecordedTraces& recorded, Time step, const workload::Program& program,
    const Cluster& cluster, Watch& watch);

/// Of one rank, whose graph holds so many steps, and of the first rank of the job.
[[nodiscard]] std::vector<OperationTime> compare_operation_times(const graph::Graph& recorded,
                                                                 std::int64_t steps,
                                                                 const workload::Program& program,
                                                                 const Cluster& cluster);

}  // namespace orrery::study
