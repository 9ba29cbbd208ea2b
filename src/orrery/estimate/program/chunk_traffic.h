// SPDX-License-Identifier: Apache-2.0
//
// Collectives of a rank that share its dimensions chunk by chunk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::estimate {

/// What the chunks of a collective go through when nobody else is there, in the order in which they
/// are issued.
struct ChunkWork {
  struct Phase {
    std::uint32_t queue = 0;
    std::int64_t time = 0;  ///< picoseconds
  };
  std::vector<std::vector<Phase>> chunks;
};

/// A collective that is issued at some time.
struct Issued {
  std::int64_t ready = 0;
  const ChunkWork* work = nullptr;
};

/// How chunks wait for a dimension.
struct ChunkQueueing {
  std::int64_t servers = 1;  ///< phases that run at a time
  bool last_first = false;   ///< collectives that were issued later go first
};

/// When each is through. Phases of collectives that were issued earlier go first; of those of one
/// collective whoever waits longer, then the earlier chunk; at one time those that come first in
/// `issued`. Source: sim/chunk_order.cc. O(phases log phases), of few that wait at a time.
[[nodiscard]] std::vector<std::int64_t> ends_of(std::span<const Issued> issued,
                                                const ChunkQueueing& queueing);

}  // namespace orrery::estimate
