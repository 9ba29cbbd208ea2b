// SPDX-License-Identifier: Apache-2.0
//
// Recorded kernel times by operation compared with predicted times of the same job.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

/// Kernel time of one operation in a step of one rank.
struct OperationTime {
  graph::Operation operation = graph::Operation::unsaid;
  Time recorded{}, predicted{};

  /// recorded / predicted.
  [[nodiscard]] double factor() const {
    return static_cast<double>(recorded.count()) / static_cast<double>(predicted.count());
  }
};

/// Compares the first recorded rank with the first rank of the job, for operations that both
/// contain; by recorded time, descending. `step`: recorded step time, which determines the number
/// of steps in the recording. Errc: as reading recordings.
[[nodiscard]] Result<std::vector<OperationTime>> compare_operation_times(
    const RecordedTraces& recorded, Time step, const workload::Program& program,
    const Cluster& cluster, Watch& watch);

/// The same for the graph of one rank, which contains `steps` steps.
[[nodiscard]] std::vector<OperationTime> compare_operation_times(const graph::Graph& recorded,
                                                                 std::int64_t steps,
                                                                 const workload::Program& program,
                                                                 const Cluster& cluster);

}  // namespace orrery::study
