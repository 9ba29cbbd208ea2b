// SPDX-License-Identifier: Apache-2.0
//
// The duration of a microbatch in a block, forward and backward, including transfers to the second
// memory. Shared by step_times.cc and step_statistics.cc.
#pragma once

#include <array>
#include <cstdint>

#include "addons/calculon/block.h"

namespace orrery::estimate::calculon {

/// Index [0]: inner blocks of a chunk; [1]: its last block (edge).
struct BlockTimes {
  BlockTimes(const Model& model, const Machine& machine, const Plan& plan, const Block& block);

  std::int64_t stage_blocks = 0, chunk_blocks = 0;
  std::int64_t missing = 0;  ///< blocks that the smallest stages lack compared with the first
  double message = 0, message_back = 0;
  double offload_size = 0, offload_size_back = 0;
  /// Without waiting for transfers to the second memory.
  std::array<double, 2> forward_alone{}, backward_alone{};
  std::array<double, 2> waits{}, waits_back{};
  std::array<double, 2> forward{}, backward{};

  [[nodiscard]] double over_chunk(const std::array<double, 2>& of) const {
    return static_cast<double>(chunk_blocks - 1) * of[0] + of[1];
  }
};

}  // namespace orrery::estimate::calculon
