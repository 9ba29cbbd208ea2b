// SPDX-License-Identifier: Apache-2.0
//
// What one of several parts of a run knows of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/shortcuts/parts/parallel_parts.h"

namespace orrery::sim {

/// Messages across it are kept until the other part takes them in.
struct PartBorder {
  const ParallelParts& parts;
  std::uint32_t part;  ///< this side's
  const EngineRun& run;
  std::vector<CrossPartMessage> outbox{}, inbox{};

  /// `rank` as the workload numbers it.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t rank) const {
    return parts.part_of[run.folded_workload.rank_for(rank)];
  }
};

}  // namespace orrery::sim
