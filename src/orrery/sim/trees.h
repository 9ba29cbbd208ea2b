// SPDX-License-Identifier: Apache-2.0
//
// Double binary tree all-reduce: up the tree with reduction, down with the result. Chunks alternate
// between two trees.
#pragma once

#include <cstdint>

#include "orrery/sim/boundary.h"
#include "orrery/sim/chunks.h"
#include "orrery/sim/early.h"
#include "orrery/sim/guard.h"
#include "orrery/sim/phase_run.h"
#include "orrery/sim/planner.h"
#include "orrery/sim/rendezvous.h"
#include "orrery/sim/run.h"
#include "orrery/sim/transport.h"

namespace orrery::sim {

/// Runs the phases of trees, message by message.
class Trees final : public PhaseRun {
 public:
  Trees(Run& run, const Planner& planner, Chunks& chunks, Guard& guard, Boundary& boundary,
        Transport& transport, Rendezvous& rendezvous, Early& early, PhaseEnds& ends)
      : run_(run),
        planner_(planner),
        chunks_(chunks),
        guard_(guard),
        boundary_(boundary),
        transport_(transport),
        rendezvous_(rendezvous),
        early_(early),
        ends_(ends) {}

  void begin(Stream& stream) override;
  void free(Stream& stream, std::uint16_t count) override;
  /// Events of kinds tree_deliver and tree_late.
  void arrives(const Event& event) override;
  void announced(Stream& receiver, std::uint32_t slot) override;
  void leaves(const AnnouncedSend& send) override;

 private:
  void arrives_late(const Event& event);
  void free_one(Stream& stream);
  void send(Stream& stream, std::uint32_t slot);
  void receive(Stream& stream, std::uint32_t slot);
  void post(Stream& stream, std::uint32_t slot);
  void received(Stream& stream);
  [[nodiscard]] static std::uint32_t member_in(const Stream& stream, std::uint32_t slot);

  Run& run_;
  const Planner& planner_;
  Chunks& chunks_;
  Guard& guard_;
  Boundary& boundary_;
  Transport& transport_;
  Rendezvous& rendezvous_;
  Early& early_;
  PhaseEnds& ends_;
};

}  // namespace orrery::sim
