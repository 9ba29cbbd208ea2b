// SPDX-License-Identifier: Apache-2.0
//
// Phases with ends in closed form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "orrery/model/collective/algorithms/closed_form.h"
#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/phases/phase_runner.h"
#include "orrery/sim/collectives/phases/ring_arrivals.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// On an uncontended network, only a phase's own members affect it. When the last member of a ring
/// has begun the phase, its ends follow for all members. Then one event each (phase_end) replaces
/// all messages. The results are the same.
class ClosedFormPhases final : public PhaseRunner {
 public:
  ClosedFormPhases(EngineRun& run, ChunkPool& chunks, PhaseObserver& observer)
      : run_(run), chunks_(chunks), ring_arrivals_(run, chunks), observer_(observer) {}

  /// Whether `run` can compute the ends of the phase. O(1).
  [[nodiscard]] static bool supports(const EngineRun& run, const model::PhaseSpec& spec);
  [[nodiscard]] bool supports(const model::PhaseSpec& spec) const { return supports(run_, spec); }
  void begin(Stream& stream) override;
  /// Events of kind phase_end.
  void handle(const Event& event) override;
  /// Number of members that wait for others to begin a phase.
  [[nodiscard]] std::uint64_t waiting() const { return ring_arrivals_.waiting(); }

  /// Continues from the state of `other`.
  void resume(const ClosedFormPhases& other) { ring_arrivals_.resume(other.ring_arrivals_); }
  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [run, chunks, ring_arrivals, observer, uniform_durations, begins, done] = self;
    return std::tie(ring_arrivals);
  }

 private:
  [[nodiscard]] std::int64_t uniform_duration(const model::PhaseSpec& spec);
  void end_at_once(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
                   std::int64_t duration);
  void end_separately(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
                      std::span<const std::uint32_t> members);

  EngineRun& run_;
  ChunkPool& chunks_;
  RingArrivals ring_arrivals_;
  PhaseObserver& observer_;
  std::vector<std::optional<std::int64_t>> uniform_durations_;  // by spec: model::uniform_duration
  std::vector<std::int64_t> begins_, done_;                     // scratch of end_separately
};

}  // namespace orrery::sim
