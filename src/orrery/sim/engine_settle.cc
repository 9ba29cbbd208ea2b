// SPDX-License-Identifier: Apache-2.0
//
// What is decided when a tick is over.
#include <algorithm>
#include <utility>

#include "orrery/sim/engine.h"

namespace orrery::sim {

// ASTRA rules start what can be started at once. Orrery rules decide when the tick is over: then
// the order of events inside a tick cannot be seen, neither in what ranks choose nor in whether
// they agree.
void Engine::pump(std::uint32_t rank, std::uint32_t number) {
  const std::uint64_t queue = rank * std::uint64_t{planner_.queue_count()} + number;
  if (run_.astra()) return start_waiting(queue);
  if (std::exchange(run_.ground.queues[queue].unsettled, true)) return;
  unsettled_queues_.push_back(queue);
}

namespace {

template <typename T>
void sort_once(std::vector<T>& numbers) {
  if (!std::is_sorted(numbers.begin(), numbers.end())) std::sort(numbers.begin(), numbers.end());
}

}  // namespace

// Nodes first; chunks when no node can start any more in this tick. False: nothing was left to do.
bool Engine::settle() {
  if (nodes_.settle()) return true;
  if (unsettled_queues_.empty()) return false;
  settling_queues_.swap(unsettled_queues_);
  sort_once(settling_queues_);
  for (const std::uint64_t queue : settling_queues_) {
    run_.ground.queues[queue].unsettled = false;
    start_waiting(queue);
  }
  settling_queues_.clear();
  return true;
}

}  // namespace orrery::sim
