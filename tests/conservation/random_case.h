// SPDX-License-Identifier: Apache-2.0
//
// Random workloads that cannot deadlock, on random clusters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::conservation {

struct RandomCase {
  graph::Workload workload;
  platform::Platform platform;
  std::string description;  ///< what it is, for messages
};

/// Drawn from rapidcheck's generators: several ranks with compute (recorded and by roofline), CPU
/// work, collectives in groups, messages, remote memory, tensors and metadata; both network models,
/// both rule sets, all algorithms.
///
/// Free of deadlocks by construction: everything happens in one global order of events; a node
/// depends only on nodes of earlier events at its rank; and what shares a lane depends on what used
/// it before, so that a lane never goes to a later event first.
/// With `lossy` some messages are never sent, so that the run may stall.
[[nodiscard]] RandomCase random_case(bool lossy = false);

/// A case in which no delay changes any order: every rank does one thing after another, computing
/// or passing a message on to the next rank, and messages meet no contention.
struct SerialCase {
  struct SerialStep {
    bool shift = false;                 ///< send to the next rank, receive from the one before
    std::vector<std::int64_t> lengths;  ///< by rank: picoseconds of work or bytes of the message
  };
  std::uint32_t ranks = 0;
  std::vector<SerialStep> steps;
  platform::Platform platform;

  /// `rank`'s work of step `step` takes `by` longer.
  [[nodiscard]] graph::Workload workload(std::uint32_t rank = 0, std::size_t step = 0,
                                         std::int64_t by = 0) const;
};
[[nodiscard]] SerialCase serial_case();

}  // namespace orrery::conservation
