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

/// Base of all runners that simulate a phase message by message: their common dependencies.
class MessagePhaseRunner : public PhaseRunner {
 public:
  MessagePhaseRunner(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks,
                     FoldingGuard& guard, EndpointBoundary& boundary, Transport& transport,
                     Rendezvous& rendezvous, EarlyMessages& early, PhaseObserver& observer)
      : run_(run),
        planner_(planner),
        chunks_(chunks),
        guard_(guard),
        boundary_(boundary),
        transport_(transport),
        rendezvous_(rendezvous),
        early_messages_(early),
        observer_(observer) {}

 protected:
  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  FoldingGuard& guard_;
  EndpointBoundary& boundary_;
  Transport& transport_;
  Rendezvous& rendezvous_;
  EarlyMessages& early_messages_;
  PhaseObserver& observer_;
};

}  // namespace orrery::sim
