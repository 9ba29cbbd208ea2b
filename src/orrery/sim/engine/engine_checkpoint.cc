// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints: the state of a run goes to a file between two ticks, and a run continues from it.
#include <array>

#include "orrery/core/check.h"
#include "orrery/sim/engine/engine.h"

namespace orrery::sim {

namespace {

/// The sizes of what set-up has allocated by rank, node and communicator.
auto allocated(const SharedState& shared) {
  return std::apply([](const auto&... all) { return std::array{all.size()...}; },
                    SharedState::fields(shared));
}

}  // namespace

/// The components with state, without the planner and the chunks, to which the others refer. Set-up
/// makes the rest again.
auto Engine::fields(auto& self) {
  auto& [reserved_memory, run, hints, rerun, shared_planner, planner, guard, chunks, local_events,
         transport, times, border, messages, nodes, interference, device_work, host_launches,
         custom_collectives, recorded_collectives, queues, collectives, phases, recording, window,
         checkpointer, repetition_skipper] = self;
  return std::tie(run, guard, local_events, transport, times, messages, nodes, device_work,
                  custom_collectives, recorded_collectives, collectives, phases,
                  repetition_skipper);
}

void Engine::save(StateWriter& to) const {
  ORRERY_CHECK(!run_.queue.more_now() && queues_.is_settled() && !run_.error && !border_);
  to(planner_, chunks_);
  to(fields(*this));
  run_.network.save(to);
}

bool Engine::load(StateReader& from) {
  const auto expected = allocated(run_.shared);
  planner_.load(from, run_.communicators);
  chunks_.load(from, planner_);
  std::apply(from, fields(*this));
  run_.network.load(from);
  from.require(allocated(run_.shared) == expected);
  return !from.failed() && from.at_end() && !run_.error && run_.fold_failed.empty();
}

}  // namespace orrery::sim
