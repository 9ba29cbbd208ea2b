// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// The shift of all state when repetitions are skipped.
struct Jump {
  std::int64_t repetitions = 0;           ///< number of skipped repetitions
  std::int64_t step = 0;                  ///< picoseconds per repetition
  std::int64_t tag_step = 0;              ///< per repetition
  std::vector<graph::NodeId> node_step;   ///< by rank: nodes per repetition
  std::vector<std::uint32_t> chunk_step;  ///< by communicator: chunks per repetition

  [[nodiscard]] std::int64_t delay() const { return repetitions * step; }
  [[nodiscard]] graph::NodeId nodes(std::uint32_t rank) const {
    return static_cast<graph::NodeId>(repetitions) * node_step[rank];
  }
  [[nodiscard]] std::uint64_t tag(std::uint64_t tag) const {
    return tag + static_cast<std::uint64_t>(repetitions * tag_step);
  }
};

}  // namespace orrery::sim
