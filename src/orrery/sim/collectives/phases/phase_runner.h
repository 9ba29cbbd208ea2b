// SPDX-License-Identifier: Apache-2.0
//
// How a phase runs, and who wants to know that it has.
#pragma once

#include <cstdint>

#include "orrery/core/check.h"
#include "orrery/sim/engine/state/event_queue.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// Who wants to know that a chunk has gone through its phase.
class PhaseEnds {
 public:
  virtual ~PhaseEnds() = default;
  virtual void phase_ends(Stream& stream) = 0;
};

/// One way to run phases. begin() is called for each member with its stream made ready; when the
/// member is done, PhaseEnds is told.
class PhaseRunner {
 public:
  virtual ~PhaseRunner() = default;
  virtual void begin(Stream& stream) = 0;
  /// Something that this way has put into the queue happens.
  virtual void arrives(const Event& event) = 0;
  /// `count` packets have crossed the boundary and may be sent.
  virtual void free(Stream& /*stream*/, std::uint16_t /*count*/) { ORRERY_CHECK(false); }
  /// Rendezvous: what `receiver` has announced under `key` is at its sender …
  virtual void announced(Stream& /*receiver*/, std::uint32_t /*key*/) { ORRERY_CHECK(false); }
  /// … and the message that waited for it leaves.
  virtual void leaves(const AnnouncedSend& /*send*/) { ORRERY_CHECK(false); }
};

}  // namespace orrery::sim
