// SPDX-License-Identifier: Apache-2.0
//
// How long a microbatch is in a block, forward and backward, with what is moved to the second
// memory; what step_times.cc and step_statistics.cc share.
#pragma once

#include <array>
#include <cstdint>

#include "addons/calculon/block.h"

namespace orrery::estimate::calculon {

/// Blocks inside a chunk are [0], the last one of a chunk (edge) is [1].
struct BlockTimes {
  BlockTimes(const Model& model, const Machine& machine, const Plan& plan, const Block& block);

  std::int64_t stage_blocks = 0, chunk_blocks = 0;
  std::int64_t missing = 0;  ///< blocks that stages have less than the first
  double message = 0, message_back = 0;
  double offload_size = 0, offload_size_back = 0;
  std::array<double, 2> forward_alone{}, backward_alone{};  ///< without waiting for that
  std::array<double, 2> waits{}, waits_back{};
  std::array<double, 2> forward{}, backward{};

  [[nodiscard]] double over_chunk(const std::array<double, 2>& of) const {
    return static_cast<double>(chunk_blocks - 1) * of[0] + of[1];
  }
};

}  // namespace orrery::estimate::calculon
