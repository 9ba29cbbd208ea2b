// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/phases/early_messages.h"
#include "orrery/sim/collectives/phases/endpoint_boundary.h"
#include "orrery/sim/collectives/phases/phase_runner.h"
#include "orrery/sim/collectives/phases/rendezvous.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"

namespace orrery::sim {

/// What every way to run a phase message by message has to do with.
class MessagePhaseRunner : public PhaseRunner {
 public:
  MessagePhaseRunner(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks,
                     FoldingGuard& guard, EndpointBoundary& boundary, Transport& transport,
                     Rendezvous& rendezvous, EarlyMessages& early, PhaseEnds& ends)
      : run_(run),
        planner_(planner),
        chunks_(chunks),
        guard_(guard),
        boundary_(boundary),
        transport_(transport),
        rendezvous_(rendezvous),
        early_messages_(early),
        ends_(ends) {}

 protected:
  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  FoldingGuard& guard_;
  EndpointBoundary& boundary_;
  Transport& transport_;
  Rendezvous& rendezvous_;
  EarlyMessages& early_messages_;
  PhaseEnds& ends_;
};

}  // namespace orrery::sim
