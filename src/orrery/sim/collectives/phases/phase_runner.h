// SPDX-License-Identifier: Apache-2.0
//
// The interfaces of runners of phases and of their observer.
#pragma once

#include <cstdint>

#include "orrery/core/check.h"
#include "orrery/sim/engine/state/event_queue.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// The observer of chunks that have completed a phase.
class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  virtual void on_phase_end(Stream& stream) = 0;
};

/// Runs phases. The engine calls begin() for each member with a prepared stream; when the member is
/// done, the runner notifies PhaseObserver.
class PhaseRunner {
 public:
  virtual ~PhaseRunner() = default;
  virtual void begin(Stream& stream) = 0;
  /// Handles an event that this runner has queued.
  virtual void handle(const Event& event) = 0;
  /// `count` packets have crossed the boundary and can be sent.
  virtual void on_packets_free(Stream& /*stream*/, std::uint16_t /*count*/) { ORRERY_CHECK(false); }
  /// Rendezvous: the announcement of `receiver` under `key` has reached its sender.
  virtual void on_announcement(Stream& /*receiver*/, std::uint32_t /*key*/) { ORRERY_CHECK(false); }
  /// Rendezvous: a message that waited for an announcement leaves.
  virtual void transmit(const AnnouncedSend& /*send*/) { ORRERY_CHECK(false); }
};

}  // namespace orrery::sim
