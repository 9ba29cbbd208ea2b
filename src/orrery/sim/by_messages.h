// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// What every way to run a phase message by message has to do with.
class ByMessages : public PhaseRun {
 public:
  ByMessages(Run& run, const Planner& planner, Chunks& chunks, Guard& guard, Boundary& boundary,
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

 protected:
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
