// SPDX-License-Identifier: Apache-2.0
//
// A run that a test advances event by event, to test components of the engine in isolation.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"
#include "orrery/sim/engine/run/time_accounting.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim::testing {

struct RunFixture {
  graph::Workload workload;
  platform::Platform platform;
  Options options;
  EngineRun run;
  CollectivePlanner planner;
  FoldingGuard guard;
  ChunkPool chunks;
  LocalEvents local_events;
  Transport transport;
  TimeAccounting accounts;

  RunFixture(graph::Workload what, platform::Platform on)
      : workload(std::move(what)),
        platform(std::move(on)),
        run(workload, platform, options, std::make_shared<SharedState>(platform, options)),
        planner(platform, run.fabric, run.network),
        guard(run, planner),
        chunks(run),
        local_events(run, chunks, guard),
        transport(run, guard),
        accounts(run) {
    ORRERY_CHECK(run.communicators.make(workload, platform.rules).has_value());
    run.shared.folded_workload = FoldedWorkload(workload.rank_count());
    run.set_up_graphs();
    run.set_up_ranks(planner);
  }

  /// Pops the next event and advances the clock to it.
  [[nodiscard]] Event next() {
    Event event;
    ORRERY_CHECK(run.queue.pop(event));
    return event;
  }
  /// Advances the clock to `time`, without other events.
  void wait_until(std::int64_t time) {
    run.queue.push({.time = time, .kind = EventKind::network, .first = kNone});
    ORRERY_CHECK(next().first == kNone);
  }
  [[nodiscard]] bool over() const { return run.queue.next_time() == EventQueue::kNever; }
};

}  // namespace orrery::sim::testing
