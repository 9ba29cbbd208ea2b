// SPDX-License-Identifier: Apache-2.0
//
// The view of one part of a run on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/shortcuts/parts/parallel_parts.h"

namespace orrery::sim {

/// The progress of a part until its next exchange of messages with other parts.
struct PartWindow {
  std::int64_t next = 0;   ///< time of the next event
  std::int64_t end = 0;    ///< no event of other parts affects this one before
  std::int64_t done = 0;   ///< all events before have been processed
  std::int64_t known = 0;  ///< all messages sent before have been received
  std::uint64_t work = 0;  ///< events in this window, counted per rank
};

/// Stores messages to other parts until these parts take them in.
struct PartBorder {
  const ParallelParts& parts;
  std::uint32_t part;  ///< number of this part
  const EngineRun& run;
  std::vector<CrossPartMessage> outbox{}, inbox{};

  /// `rank`: number in the workload.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t rank) const {
    return parts.part_of[run.folded_workload.rank_for(rank)];
  }
};

}  // namespace orrery::sim
