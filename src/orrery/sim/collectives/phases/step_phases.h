// SPDX-License-Identifier: Apache-2.0
//
// Runs phases of ring, direct and halving-doubling, message by message. The hot path of every
// simulation.
#pragma once

#include <cstdint>

#include "orrery/sim/collectives/phases/message_phase_runner.h"

namespace orrery::sim {

/// Inserts, frees, sends and receives packets (see model::PhaseSpec) until the phase ends.
class StepPhases final : public MessagePhaseRunner {
 public:
  using MessagePhaseRunner::MessagePhaseRunner;

  void begin(Stream& stream) override;
  void on_packets_free(Stream& stream, std::uint16_t count) override;
  /// Events of kinds deliver and late_receive.
  void handle(const Event& event) override;
  void on_announcement(Stream& receiver, std::uint32_t key) override;
  void transmit(const AnnouncedSend& send) override;

  // Streams in lockstep
  /// Handles one packet of `rank`, in a ring or halving-doubling phase, that crosses the boundary,
  /// is reduced, or is sent, with events that continue `run`. Returns false, without any change, if
  /// the case is not that simple.
  [[nodiscard]] bool run_single_step(std::uint32_t rank, Event& run);
  void flush(Event& run) {
    if (run.count != 0) run_.push(run);
    run.count = 0;
  }

 private:
  void insert(Stream& stream);
  void free_packet(Stream& stream);
  void send_held(Stream& stream);
  void try_send(Stream& stream);
  void send(Stream& stream);
  void post(Stream& stream, std::uint32_t key);
  void deliver_one(Chunk& block, const model::PhaseSpec& spec, std::uint32_t to, std::uint32_t key);
  void deliver_to_other_phase(Stream& stream, const model::PhaseSpec& sent, std::uint32_t key);
  void received(Stream& stream);
  [[nodiscard]] std::int64_t delay(const Stream& stream, std::uint32_t key, std::uint32_t to) const;
  // Streams in lockstep
  void deliver_run(const Event& event, Chunk& block, const model::PhaseSpec& spec);
  [[nodiscard]] bool run_single_arrival(Stream& stream, std::uint32_t key,
                                        const model::PhaseSpec& spec, Event& run);
  [[nodiscard]] bool send_burst(Stream& stream, std::int32_t count);
  void restart(Event& run, const Event& event) {
    flush(run);
    run = event;
  }
};

}  // namespace orrery::sim
