// SPDX-License-Identifier: Apache-2.0
//
// Checks folding under ASTRA rules, where the order of events inside a tick affects results.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Watches all future events of a rank and ends the run (EngineRun::fold_failed) if equivalent
/// ranks could see them in another order than their representative: when two other ranks queue
/// events in one tick, rank numbers decide the order. Does nothing unless EngineRun::guarded.
class FoldingGuard {
 public:
  FoldingGuard(EngineRun& run, const CollectivePlanner& planner) : run_(run), planner_(planner) {}

  /// Call it when the simulated ranks are known.
  void set_up();
  /// `rank` has an event of its own at `time`.
  void expect_local(std::uint32_t rank, std::int64_t time) {
    if (run_.guarded) expect(rank, time, 0, 0);
  }
  /// A message of a phase will arrive at `to`, a member of `communicator`; `key`: as for
  /// sender_of().
  void expect_message(const Event& arrival, std::uint32_t communicator, std::uint32_t to,
                      std::uint32_t key);
  /// The same for a point-to-point message; `who` is the sender's node.
  void expect_message(const Endpoint& who, const MessageKey& key, std::int64_t time);
  /// With contention, arrivals are known only when a message crosses its last link: `arrival` will
  /// happen at `time`, caused by `link`.
  void expect_arrival(const model::Send& message, const Event& arrival, std::int64_t time,
                      std::uint32_t link);

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, planner, contended, expected] = self;
    return std::tie(expected);
  }
  /// Continues from the state of `other`.
  void resume(const FoldingGuard& other) { fields(*this) = fields(other); }

 private:
  /// A future event of a rank.
  struct Expected {
    std::int64_t time;
    std::int64_t queued;
    std::uint64_t origin;
    std::uint64_t phase;
  };

  void expect(std::uint32_t rank, std::int64_t time, std::uint64_t origin, std::uint64_t phase);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  bool contended_ = false;
  std::vector<std::vector<Expected>> expected_;  // by rank
};

}  // namespace orrery::sim
