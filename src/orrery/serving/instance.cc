// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/instance.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::serving {

Instance::Instance(const Service& service, std::uint32_t number)
    : service_(&service),
      number_(number),
      scheduler_(make_scheduler(service.options)),
      state_{service.requests,
             {},
             {},
             {},
             KvCache(service.blocks, service.block_tokens, service.options.enable_prefix_caching),
             0} {}

void Instance::submit(std::uint32_t request) {
  const Request& one = service_->requests[request];
  Sequence sequence;
  sequence.request = request;
  sequence.input = one.input;
  sequence.output = one.output;
  state_.waiting.push_back(static_cast<std::uint32_t>(state_.sequences.size()));
  state_.sequences.push_back(std::move(sequence));
  (*service_->times)[request].instance = number_;
}

std::int64_t Instance::cached_tokens(std::uint32_t request) const {
  const Request& one = service_->requests[request];
  return state_.cache.cached_tokens(one, request, one.input);
}

StepShape Instance::shape_of(const std::vector<PlannedTokens>& plan) const {
  StepShape shape;
  for (const PlannedTokens& one : plan) {
    shape.tokens += one.tokens;
    shape.samples += one.samples ? 1 : 0;
    if (one.decodes) {
      ++shape.decodes;
      shape.decode_keys += one.past + 1;
    } else {
      shape.chunks.push_back({one.tokens, one.past});
    }
  }
  return shape;
}

void Instance::start_step(Time now) {
  if (step_end_ != kTimeMax) return;
  running_plan_ = next_plan_.empty() ? scheduler_->plan(state_) : std::exchange(next_plan_, {});
  if (running_plan_.empty()) return;
  const StepShape shape = shape_of(running_plan_);
  const ServerTime& server = service_->options.server;
  const auto sequences = static_cast<std::int64_t>(running_plan_.size());
  step_end_ = now + (*service_->cost)(shape) + server.step + sequences * server.sequence;
  steps_.push_back({now, step_end_, shape.tokens, static_cast<std::int32_t>(sequences),
                    static_cast<std::int32_t>(shape.decodes),
                    static_cast<std::int32_t>(shape.samples),
                    static_cast<std::int32_t>(state_.running.size()),
                    static_cast<std::int32_t>(state_.waiting.size()), state_.cache.held_blocks()});
  for (const PlannedTokens& one : running_plan_) {
    RequestTimes& times = (*service_->times)[state_.sequences[one.sequence].request];
    if (times.started == Time{} && one.past == state_.sequences[one.sequence].cached)
      times.started = now;
  }
  if (service_->options.async_scheduling) next_plan_ = scheduler_->plan(state_);
}

void Instance::record_token(const Sequence& one, Time now) {
  RequestTimes& times = (*service_->times)[one.request];
  if (times.first_token == Time{}) {
    times.first_token = now;
  } else {
    const Time gap = now - times.last_token;
    service_->gaps->push_back(static_cast<std::uint32_t>(
        std::min<std::int64_t>(gap.count() / kPsPerUs, ~std::uint32_t{0})));
  }
  times.last_token = now;
}

void Instance::end_step(Time now, std::vector<std::uint32_t>& ended) {
  ORRERY_CHECK(now == step_end_);
  step_end_ = kTimeMax;
  bool any = false;
  for (const PlannedTokens& planned : running_plan_) {
    if (!planned.samples) continue;
    Sequence& one = state_.sequences[planned.sequence];
    record_token(one, now);
    if (!planned.ends) continue;
    RequestTimes& times = (*service_->times)[one.request];
    times.ended = true;
    times.preemptions = one.preemptions;
    times.cached = one.cached;
    state_.cache.mark_computed(one.computed, one.held);
    state_.cache.release(one.held);
    ended.push_back(one.request);
    any = true;
  }
  if (any)
    std::erase_if(state_.running, [&](std::uint32_t index) {
      return (*service_->times)[state_.sequences[index].request].ended;
    });
  running_plan_.clear();
}

}  // namespace orrery::serving
