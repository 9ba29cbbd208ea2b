// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::serving {
namespace {

class Simulation {
 public:
  Simulation(const RequestStream& stream, const ServingSetup& setup, const StepCost& cost)
      : stream_(stream), setup_(setup) {
    run_.times.resize(stream.requests.size());
    service_ = {stream.requests,
                setup.options,
                &cost,
                setup.blocks,
                setup.block_tokens,
                &run_.times,
                setup.all_gaps ? &run_.gaps : nullptr};
    for (std::int64_t i = 0; i < setup.instances; ++i)
      instances_.emplace_back(service_, static_cast<std::uint32_t>(i));
  }

  ServingRun run() && {
    const Time overhead = setup_.options.server.request;
    Time now{};
    const bool closed = stream_.clients > 0;
    if (closed)
      while (next_ < stream_.requests.size() && static_cast<std::int64_t>(next_) < stream_.clients)
        arrivals_.push_back({overhead, Time{}, next_++});
    while (true) {
      const Time at = std::min(next_arrival(overhead), next_end());
      if (at == kTimeMax) break;
      now = at;
      end_steps(now);
      if (closed)
        for (std::size_t i = 0; i < ended_.size() && next_ < stream_.requests.size(); ++i)
          arrivals_.push_back({now + overhead, now, next_++});
      ended_.clear();
      while (next_arrival(overhead) <= now) admit(now);
      for (Instance& one : instances_) one.start_step(now);
    }
    for (const Instance& one : instances_) {
      const KvCache& cache = one.state().cache;
      ORRERY_CHECK(one.load() == 0 && cache.held_blocks() == 0);
      ORRERY_CHECK(cache.counted_blocks() == cache.blocks());
      run_.steps.push_back(one.steps());
      run_.preemptions += one.state().preemptions;
    }
    run_.end = now;
    return std::move(run_);
  }

 private:
  struct Arrival {
    Time queued{}, sent{};
    std::size_t request = 0;
  };

  [[nodiscard]] Time next_arrival(Time overhead) const {
    if (stream_.clients > 0) return first_ < arrivals_.size() ? arrivals_[first_].queued : kTimeMax;
    return next_ < stream_.requests.size() ? stream_.requests[next_].arrival + overhead : kTimeMax;
  }
  [[nodiscard]] Time next_end() const {
    Time end = kTimeMax;
    for (const Instance& one : instances_) end = std::min(end, one.step_end());
    return end;
  }
  void end_steps(Time now) {
    for (Instance& one : instances_)
      if (one.step_end() == now) one.end_step(now, ended_);
  }

  void admit(Time now) {
    std::size_t request = next_;
    Time sent{};
    if (stream_.clients > 0) {
      request = arrivals_[first_].request;
      sent = arrivals_[first_++].sent;
    } else {
      sent = stream_.requests[next_++].arrival;
    }
    run_.times[request].arrival = sent;
    const auto number = static_cast<std::uint32_t>(request);
    instances_[chosen(number)].submit(number, now);
  }

  std::size_t chosen(std::uint32_t request) {
    if (instances_.size() == 1) return 0;
    if (setup_.routing == Routing::round_robin) return turn_++ % instances_.size();
    std::size_t best = 0;
    std::int64_t best_cached = -1;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const std::int64_t cached =
          setup_.routing == Routing::prefix_aware ? instances_[i].cached_tokens(request) : 0;
      if (cached > best_cached ||
          (cached == best_cached && instances_[i].load() < instances_[best].load())) {
        best = i;
        best_cached = cached;
      }
    }
    return best;
  }

  const RequestStream& stream_;
  const ServingSetup& setup_;
  Service service_;
  ServingRun run_;
  std::vector<Instance> instances_;
  std::vector<Arrival> arrivals_;  // closed loop, in order
  std::vector<std::uint32_t> ended_;
  std::size_t next_ = 0, first_ = 0, turn_ = 0;
};

}  // namespace

Result<ServingRun> serve(const RequestStream& stream, const ServingSetup& setup,
                         const StepCost& cost) {
  if (setup.instances < 1)
    return fail(Errc::usage, "instances", "there must be at least one instance");
  const KvCache cache(setup.blocks, setup.block_tokens, false);
  for (std::size_t i = 0; i < stream.requests.size(); ++i) {
    const Request& one = stream.requests[i];
    if (cache.blocks_of(one.input + one.output) > setup.blocks)
      return fail(Errc::limit_exceeded, fmt::format("request {}", i),
                  fmt::format("has {} tokens; the cache of an instance holds {}",
                              one.input + one.output, setup.blocks * setup.block_tokens),
                  "more devices per instance, more memory for the cache, or shorter requests");
  }
  return Simulation(stream, setup, cost).run();
}

}  // namespace orrery::serving
