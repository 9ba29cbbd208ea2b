// SPDX-License-Identifier: Apache-2.0
//
// Phases whose end is worked out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/model/collective/algorithms/closed_form.h"
#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/phases/phase_runner.h"
#include "orrery/sim/collectives/phases/ring_arrivals.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Under an uncontended network nothing but its own members decides how a phase goes: when the last
/// of a ring has begun it, the end is known for all of them, and one event each (phase_end) takes
/// the place of all messages. The results are the same.
class ClosedFormPhases final : public PhaseRunner {
 public:
  ClosedFormPhases(EngineRun& run, ChunkPool& chunks, PhaseEnds& ends)
      : run_(run), chunks_(chunks), ring_arrivals_(run, chunks), ends_(ends) {}

  [[nodiscard]] bool knows(const model::PhaseSpec& spec) const;
  void begin(Stream& stream) override;
  /// Events of kind phase_end.
  void arrives(const Event& event) override;
  /// Members that wait for others to begin a phase.
  [[nodiscard]] std::uint64_t waiting() const { return ring_arrivals_.waiting(); }

  /// Goes on from where another has come to.
  void resume(const ClosedFormPhases& other) { ring_arrivals_.resume(other.ring_arrivals_); }

 private:
  [[nodiscard]] std::int64_t uniform_duration(const model::PhaseSpec& spec);
  void end_together(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
                    std::int64_t duration);
  void end_apart(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
                 std::span<const std::uint32_t> members);

  EngineRun& run_;
  ChunkPool& chunks_;
  RingArrivals ring_arrivals_;
  PhaseEnds& ends_;
  std::vector<std::optional<std::int64_t>> even_;  // by spec: model::uniform_duration
  std::vector<std::int64_t> begins_, done_;        // scratch of end_apart
};

}  // namespace orrery::sim
