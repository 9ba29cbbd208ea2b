// SPDX-License-Identifier: Apache-2.0
//
// Folding under ASTRA rules, where the order of events inside a tick can be seen.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Is told of all that will happen to a rank, and ends the run (Run::fold_failed) where ranks that
/// are alike may see it in another order than the one that stands for them: two others queued it in
/// one tick, so that their numbers decide. Does nothing unless Run::guarded.
class FoldingGuard {
 public:
  FoldingGuard(EngineRun& run, const CollectivePlanner& planner) : run_(run), planner_(planner) {}

  /// To be called when the ranks that are simulated are known.
  void set_up();
  /// `rank` itself will do something at `time`.
  void own(std::uint32_t rank, std::int64_t time) {
    if (run_.guarded) watch(rank, time, 0, 0);
  }
  /// A message of a phase will arrive at `to`, a member of `communicator`; `key` as sender_of() has
  /// it.
  void message(const Event& arrival, std::uint32_t communicator, std::uint32_t to,
               std::uint32_t key);
  /// The same from one rank to another; `who` is the sender's.
  void message(const Endpoint& who, const MessageKey& key, std::int64_t time);

  /// Goes on from where another has come to.
  void resume(const FoldingGuard& other) { expected_ = other.expected_; }

 private:
  /// Something that will happen to a rank.
  struct Expected {
    std::int64_t time;
    std::int64_t queued;
    std::uint64_t origin;
    std::uint64_t phase;
  };

  void watch(std::uint32_t rank, std::int64_t time, std::uint64_t origin, std::uint64_t phase);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  std::vector<std::vector<Expected>> expected_;  // by rank
};

}  // namespace orrery::sim
