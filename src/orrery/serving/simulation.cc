// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::serving {
namespace {

class Simulation {
 public:
  Simulation(const RequestStream& stream, const ServingSetup& setup, const StepCost& cost)
      : stream_(stream), setup_(setup) {
    run_.times.resize(stream.requests.size());
    service_ = {stream.requests,    setup.options, &cost,     setup.blocks,
                setup.block_tokens, &run_.times,   &run_.gaps};
    for (std::int64_t i = 0; i < setup.instances; ++i)
      instances_.emplace_back(service_, static_cast<std::uint32_t>(i));
  }

  ServingRun run() && {
    Time now{};
    const bool closed = stream_.clients > 0;
    if (closed)
      while (next_ < stream_.requests.size() && static_cast<std::int64_t>(next_) < stream_.clients)
        arrivals_.push_back({Time{}, next_++});
    while (true) {
      const Time at = std::min(next_arrival(), next_end());
      if (at == kTimeMax) break;
      now = at;
      end_steps(now);
      if (closed)
        for (std::size_t i = 0; i < ended_.size() && next_ < stream_.requests.size(); ++i)
          arrivals_.push_back({now, next_++});
      ended_.clear();
      while (next_arrival() <= now) admit();
      start_steps(now);
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
    Time sent{};
    std::size_t request = 0;
  };

  /// When a request that was sent is queued. Requests are queued in the order in which they were
  /// sent, even if a longer prompt takes the server longer.
  [[nodiscard]] Time queued(Time sent, std::size_t request) const {
    const ServerTime& server = setup_.options.server;
    return std::max(sent + server.request + stream_.requests[request].input * server.prompt_token,
                    last_queued_);
  }
  [[nodiscard]] Time next_arrival() const {
    if (stream_.clients > 0)
      return first_ < arrivals_.size() ? queued(arrivals_[first_].sent, arrivals_[first_].request)
                                       : kTimeMax;
    return next_ < stream_.requests.size() ? queued(stream_.requests[next_].arrival, next_)
                                           : kTimeMax;
  }
  [[nodiscard]] Time next_end() const { return ends_.empty() ? kTimeMax : ends_.top().first; }
  /// Steps that end at the same time end in the order of their instances.
  void end_steps(Time now) {
    for (; next_end() == now; ends_.pop()) {
      instances_[ends_.top().second].end_step(now, ended_);
      touched_.push_back(ends_.top().second);
    }
  }
  /// Only a new request or the end of a step lets an instance start one.
  void start_steps(Time now) {
    for (const std::size_t at : touched_) {
      if (instances_[at].step_end() != kTimeMax) continue;
      instances_[at].start_step(now);
      if (instances_[at].step_end() != kTimeMax) ends_.emplace(instances_[at].step_end(), at);
    }
    touched_.clear();
  }

  void admit() {
    last_queued_ = next_arrival();
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
    touched_.push_back(chosen(number));
    instances_[touched_.back()].submit(number);
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
  using End = std::pair<Time, std::size_t>;  // of the step of an instance
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::size_t> touched_;  // instances with an event at this time
  std::vector<Arrival> arrivals_;     // closed loop, in order
  std::vector<std::uint32_t> ended_;
  std::size_t next_ = 0, first_ = 0, turn_ = 0;
  Time last_queued_{};
};

}  // namespace

Result<void> check_stream(const RequestStream& stream, const ServingSetup& setup) {
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
    // A preempted request computes its prompt and its generated tokens again, in one step.
    if (!setup.options.enable_chunked_prefill &&
        one.input + one.output > setup.options.max_num_batched_tokens)
      return fail(
          Errc::limit_exceeded, fmt::format("request {}", i),
          fmt::format("has {} tokens; a step computes at most {}, and complete prompts only",
                      one.input + one.output, setup.options.max_num_batched_tokens),
          "more tokens in a step (--max-num-batched-tokens), or prompts in chunks");
  }
  return {};
}

Result<ServingRun> serve(const RequestStream& stream, const ServingSetup& setup,
                         const StepCost& cost) {
  if (auto fine = check_stream(stream, setup); !fine) return tl::unexpected(fine.error());
  return Simulation(stream, setup, cost).run();
}

}  // namespace orrery::serving
