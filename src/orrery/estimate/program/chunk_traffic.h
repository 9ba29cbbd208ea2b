// SPDX-License-Identifier: Apache-2.0
//
// Contention between collectives of a rank that share its dimensions chunk by chunk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace orrery::estimate {

/// The phases of a collective's chunks without contention, in the order of issue.
struct ChunkWork {
  struct Phase {
    std::uint32_t queue = 0;
    std::int64_t time = 0;  ///< picoseconds
  };
  std::vector<std::vector<Phase>> chunks;
  std::int64_t isolated_duration = 0;  ///< duration without contention; 0: unknown
};

/// A collective and its issue time.
struct IssuedCollective {
  std::int64_t ready = 0;
  const ChunkWork* work = nullptr;
};

/// The queue of a dimension.
struct ChunkQueueing {
  std::int64_t servers = 1;  ///< number of concurrent phases
  bool last_first = false;   ///< later collectives go first (LIFO)
};

/// Returns the end of each collective. Phases of collectives issued earlier go first; within one
/// collective, the phase that has waited longest, then the earlier chunk. Collectives issued at the
/// same time are in the order of `issued`. Source: sim/collectives/chunks/chunk_order.cc. O(phases
/// log phases) if few phases wait at a time.
[[nodiscard]] std::vector<std::int64_t> collective_ends(std::span<const IssuedCollective> issued,
                                                        const ChunkQueueing& queueing);

/// The collectives of a rank that may still run, added one at a time.
class ConcurrentCollectives {
 public:
  /// Called for a collective that ends later than estimated before: its number, its old and its new
  /// end.
  using DelayHandler =
      std::function<void(std::uint64_t number, std::int64_t before, std::int64_t end)>;

  /// Adds a collective and returns its end. If many overlap, only the last 12 are simulated.
  std::int64_t add(std::int64_t ready, const ChunkWork& work, std::uint64_t number,
                   const ChunkQueueing& queueing, const DelayHandler& report_delay);
  /// Delays all collectives with numbers from `from` on by `by`.
  void delay(std::int64_t by, std::uint64_t from);

 private:
  struct RunningCollective {
    IssuedCollective issued;
    std::int64_t end = 0;
    std::uint64_t number = 0;
  };
  std::vector<RunningCollective> all_;
};

}  // namespace orrery::estimate
