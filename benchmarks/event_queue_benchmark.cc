// SPDX-License-Identifier: Apache-2.0
//
// The hold model: remove the next event and insert one a random time later, with a fixed number of
// pending events. Compares the simulator's queue with std::priority_queue, interleaved in one run,
// so that `speedup` does not depend on the machine.
#include <benchmark/benchmark.h>

#include <chrono>
#include <queue>
#include <random>
#include <vector>

#include "orrery/sim/engine/state/event_queue.h"

namespace {

using orrery::sim::Event;
using orrery::sim::EventKind;
using orrery::sim::EventQueue;

constexpr std::int64_t kHolds = 1 << 18;

/// Delays of events, the same for both queues.
class Delays {
 public:
  explicit Delays(bool coarse) : values_(1 << 16) {
    std::mt19937_64 random(1);
    // Coarse: whole microseconds, so that many events share a tick. Fine: any picosecond up to a
    // millisecond.
    for (std::int64_t& value : values_) {
      const auto drawn = static_cast<std::int64_t>(random() % 1'000'000'000);
      value = 1 + (coarse ? drawn / 1'000'000 * 1'000'000 : drawn);
    }
  }
  std::int64_t next() { return values_[at_++ & (values_.size() - 1)]; }

 private:
  std::vector<std::int64_t> values_;
  std::size_t at_ = 0;
};

Event event_at(std::int64_t time, std::uint32_t first) {
  // Kinds after `deliver` are never merged, so this measures the queue alone.
  return {.time = time, .kind = EventKind::p2p_deliver, .first = first};
}

struct Later {
  bool operator()(const Event& a, const Event& b) const { return a.time > b.time; }
};
using StandardQueue = std::priority_queue<Event, std::vector<Event>, Later>;

std::int64_t take(EventQueue& queue, Event& out) { return queue.pop(out) ? out.time : 0; }
std::int64_t take(StandardQueue& queue, Event& out) {
  out = queue.top();
  queue.pop();
  return out.time;
}

/// Seconds of kHolds holds.
template <class Queue>
double hold(Queue& queue, Delays& delays) {
  const auto start = std::chrono::steady_clock::now();
  Event event;
  for (std::int64_t i = 0; i < kHolds; ++i) {
    const std::int64_t now = take(queue, event);
    queue.push(event_at(now + delays.next(), event.first));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void hold_model(benchmark::State& state) {
  const std::int64_t pending = state.range(0);
  const bool coarse = state.range(1) != 0;
  Delays delays(coarse);
  EventQueue ours;
  StandardQueue standard;
  for (std::int64_t i = 0; i < pending; ++i) {
    const Event event = event_at(delays.next(), static_cast<std::uint32_t>(i));
    ours.push(event);
    standard.push(event);
  }
  double our_seconds = 0;
  double standard_seconds = 0;
  for (auto _ : state) {
    const double seconds = hold(ours, delays);
    standard_seconds += hold(standard, delays);
    our_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetItemsProcessed(kHolds * state.iterations());
  state.counters["speedup"] = standard_seconds / our_seconds;
  state.SetLabel(coarse ? "many events per tick" : "few events per tick");
}

BENCHMARK(hold_model)
    ->ArgsProduct({{1'000, 100'000}, {0, 1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
