// SPDX-License-Identifier: Apache-2.0
//
// Double binary tree all-reduce: up the tree with reduction, down with the result. Chunks alternate
// between two trees.
#pragma once

#include <cstdint>

#include "orrery/sim/collectives/phases/message_phase_runner.h"

namespace orrery::sim {

/// Runs the phases of trees, message by message.
class TreePhases final : public MessagePhaseRunner {
 public:
  using MessagePhaseRunner::MessagePhaseRunner;

  void begin(Stream& stream) override;
  void on_packets_free(Stream& stream, std::uint16_t count) override;
  /// Events of kinds tree_deliver and tree_late.
  void handle(const Event& event) override;
  void on_announcement(Stream& receiver, std::uint32_t slot) override;
  void transmit(const AnnouncedSend& send) override;

 private:
  void free_packet(Stream& stream);
  void send(Stream& stream, std::uint32_t slot);
  void receive(Stream& stream, std::uint32_t slot);
  void post(Stream& stream, std::uint32_t slot);
  void received(Stream& stream);
};

}  // namespace orrery::sim
