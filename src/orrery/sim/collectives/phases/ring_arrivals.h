// SPDX-License-Identifier: Apache-2.0
//
// Detects when all members of a ring have begun a phase.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/phases/ring_peers.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// All members of a ring have begun the phase.
struct ArrivedRing {
  std::uint32_t base = 0;                 ///< the ring's first member
  std::uint32_t leader = 0;               ///< in ring_peers
  const RingPeers* ring_peers = nullptr;  ///< representatives; null: each member has its own rank
  bool simultaneous = true;               ///< all began at the same time

  /// The representatives of the ring. Requires ring_peers.
  [[nodiscard]] const std::vector<std::uint32_t>& representatives() const {
    return ring_peers->sets[leader];
  }
};

/// Counts the members of rings as they arrive.
class RingArrivals {
 public:
  RingArrivals(EngineRun& run, ChunkPool& chunks) : run_(run), chunks_(chunks) {}

  /// The member begins its phase. Empty: others have not begun yet, or run another phase.
  [[nodiscard]] std::optional<ArrivedRing> arrive(const Stream& stream);
  /// The representatives of the rings of a phase; null: each member has its own rank.
  [[nodiscard]] const RingPeers* peers_of(const Chunk& block, const model::PhaseSpec& spec);
  /// Number of members that wait for others.
  [[nodiscard]] std::uint64_t waiting() const { return waiting_; }

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, chunks, waiting, ring_peers] = self;
    return std::tie(waiting);
  }
  /// Continues from the state of `other`.
  void resume(const RingArrivals& other) { fields(*this) = fields(other); }

 private:
  EngineRun& run_;
  ChunkPool& chunks_;
  std::uint64_t waiting_ = 0;
  RingPeersCache ring_peers_;
};

}  // namespace orrery::sim
