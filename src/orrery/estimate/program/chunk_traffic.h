// SPDX-License-Identifier: Apache-2.0
//
// Collectives of a rank that share its dimensions chunk by chunk.
#pragma once

#include <cstdint>
#include <functional>
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
  std::int64_t alone = 0;  ///< what it takes then; 0: not known
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
/// `issued`. Source: sim/collectives/chunks/chunk_order.cc. O(phases log phases), of few that wait
/// at a time.
[[nodiscard]] std::vector<std::int64_t> ends_of(std::span<const Issued> issued,
                                                const ChunkQueueing& queueing);

/// Those of a rank that may still be on their way, as they are issued one after another.
class ConcurrentCollectives {
 public:
  /// Which one ends later than it was said before: its number, when it was to end, when it does.
  using Moved = std::function<void(std::uint64_t number, std::int64_t before, std::int64_t end)>;

  /// When the new one ends. Of many that overlap only the last few are followed.
  std::int64_t add(std::int64_t ready, const ChunkWork& work, std::uint64_t number,
                   const ChunkQueueing& queueing, const Moved& moved);
  /// Those from a number on were all so much later.
  void move_on(std::int64_t by, std::uint64_t from);

 private:
  struct One {
    Issued issued;
    std::int64_t end = 0;
    std::uint64_t number = 0;
  };
  std::vector<One> all_;
};

}  // namespace orrery::estimate
