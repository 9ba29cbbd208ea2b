// SPDX-License-Identifier: Apache-2.0
//
// Phases that begin when all of a ring have come.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/phases/ring_peers.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// All members of a ring have begun the phase.
struct ArrivedRing {
  std::uint32_t base = 0;                 ///< the ring's first member
  std::uint32_t leader = 0;               ///< in `parties`
  const RingPeers* ring_peers = nullptr;  ///< who plays them; null: each is played by its own rank
  bool together = true;                   ///< they came at the same time

  /// Of those who play; not for rings in which each member is played by its own rank.
  [[nodiscard]] const std::vector<std::uint32_t>& players() const {
    return ring_peers->together[leader];
  }
};

/// Counts them as they come.
class RingArrivals {
 public:
  RingArrivals(EngineRun& run, ChunkPool& chunks) : run_(run), chunks_(chunks) {}

  /// The member begins its phase. Empty: others have not yet, or mean another phase.
  [[nodiscard]] std::optional<ArrivedRing> come(const Stream& stream);
  /// Members that wait for others.
  [[nodiscard]] std::uint64_t waiting() const { return waiting_; }

  /// Goes on from where another has come to.
  void resume(const RingArrivals& other) { waiting_ = other.waiting_; }

 private:
  EngineRun& run_;
  ChunkPool& chunks_;
  std::uint64_t waiting_ = 0;
  RingPeersCache ring_peers_;
};

}  // namespace orrery::sim
