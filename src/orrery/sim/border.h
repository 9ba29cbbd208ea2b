// SPDX-License-Identifier: Apache-2.0
//
// What one of several parts of a run knows of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/parts.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

/// Messages across it are kept until the other part takes them in.
struct Border {
  const Parts& parts;
  std::uint32_t part;  ///< this side's
  const Run& run;
  std::vector<Abroad> outbox{}, inbox{};

  /// `rank` as the workload numbers it.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t rank) const {
    return parts.part_of[run.quotient.rank_for(rank)];
  }
};

}  // namespace orrery::sim
