// SPDX-License-Identifier: Apache-2.0
//
// A run that is stepped through by hand, to try the engine's parts alone.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "orrery/sim/accounts.h"
#include "orrery/sim/agendas.h"
#include "orrery/sim/guard.h"
#include "orrery/sim/planner.h"
#include "orrery/sim/run.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/sim/transport.h"

namespace orrery::sim::testing {

struct Toy {
  graph::Workload workload;
  platform::Platform platform;
  Options options;
  Run run;
  Planner planner;
  Guard guard;
  Chunks chunks;
  Agendas agendas;
  Transport transport;
  Accounts accounts;

  Toy(graph::Workload what, platform::Platform on)
      : workload(std::move(what)),
        platform(std::move(on)),
        run(workload, platform, options, std::make_shared<SharedState>(platform, options)),
        planner(platform, run.fabric, run.network),
        guard(run, planner),
        chunks(run),
        agendas(run, chunks, guard),
        transport(run),
        accounts(run) {
    ORRERY_CHECK(run.communicators.make(workload, platform.rules).has_value());
    run.shared.quotient = Quotient(workload.rank_count());
    run.set_up_ranks(planner);
  }

  /// The next event, at its time.
  [[nodiscard]] Event next() {
    Event event;
    ORRERY_CHECK(run.queue.pop(event));
    return event;
  }
  /// Nothing happens until `time`.
  void wait_until(std::int64_t time) {
    run.queue.push({.time = time, .kind = EventKind::network, .first = kNone});
    ORRERY_CHECK(next().first == kNone);
  }
  [[nodiscard]] bool over() const { return run.queue.next_time() == EventQueue::kNever; }
};

}  // namespace orrery::sim::testing
