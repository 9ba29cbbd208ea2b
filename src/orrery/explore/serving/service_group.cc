// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/serving/service_group.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace orrery::explore {
namespace {

/// A ratio that differs by less is as good.
constexpr double kNearly = 1.02;
/// Numbers of instances on the front, as multiples of the fewest that are not overloaded.
constexpr std::array kLoads{1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0};

/// The least number from 1 to `most` for which `holds`; 0: none. `holds` stays true once it is.
template <class Holds>
std::int64_t least(std::int64_t most, const Holds& holds) {
  std::int64_t low = 0, high = 1;
  while (!holds(high)) {
    if (high == most) return 0;
    low = high;
    high = std::min(high * 2, most);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

/// Why a setup is refused; empty: the error concerns all setups.
std::string reason_of(const Error& error) {
  switch (error.code) {
    case Errc::limit_exceeded:
      return error.where == "--gpu" ? "memory" : "request";
    case Errc::config_conflict:
      return "sizes";
    case Errc::config_missing_key:
      return "network";
    default:
      return "";
  }
}

}  // namespace

void ServiceGroup::refuse(const Error& error) {
  if (++refused[reason_of(error)] == 1) errors.push_back(error);
}

Result<ServiceGroup::Ready> ServiceGroup::make_ready(const StepLimits& limits) {
  Ready made;
  made.question = size_.question;
  made.question.engine.max_num_batched_tokens = limits.max_num_batched_tokens;
  made.question.engine.max_num_seqs = limits.max_num_seqs;
  Findings ignored;  // the winner is set up again
  auto engine = study::set_up_engine(made.question, ignored, &passes_);
  if (!engine) return tl::unexpected(engine.error());
  made.setup = study::serving_setup(made.question, *engine);
  if (auto fine = serving::check_stream(load_->stream, made.setup); !fine)
    return tl::unexpected(fine.error());
  std::unique_ptr<serving::StepCost>& cost = costs_[engine->pass.get()];
  if (cost == nullptr) cost = std::make_unique<serving::StepCost>(std::move(engine->parts));
  made.cost = cost.get();
  return made;
}

serving::ServingSetup ServiceGroup::with_instances(const Ready& ready,
                                                   std::int64_t instances) const {
  serving::ServingSetup setup = ready.setup;
  setup.instances *= instances;
  return setup;
}

SteadyState ServiceGroup::estimate_at(const Ready& ready, std::int64_t instances) {
  ++estimated;
  SteadyState made = steady_state(load_->moments, with_instances(ready, instances), *ready.cost);
  overloaded += made.overloaded ? 1 : 0;
  return made;
}

Result<void> ServiceGroup::estimate() {
  const auto limits = step_limits(size_);
  if (!limits) return tl::unexpected(limits.error());
  for (const StepLimits& one : *limits) {
    ++tried;
    auto ready = make_ready(one);
    if (!ready) {
      if (reason_of(ready.error()).empty()) return tl::unexpected(ready.error());
      refuse(ready.error());
      continue;
    }
    ready_.push_back(*std::move(ready));
    estimate(ready_.size() - 1, ready_.back());
  }
  return {};
}

void ServiceGroup::estimate(std::size_t limits, const Ready& ready) {
  const std::int64_t most = load_->most_instances();
  const auto ratio_at = [&](std::int64_t instances) {
    const SteadyState state = estimate_at(ready, instances);
    return state.overloaded ? HUGE_VAL : serving::largest_ratio(state.metrics, load_->limits);
  };
  EstimatedSetup made{limits};
  if (load_->instances > 0) {
    made.instances = load_->instances;
    made.meets = ratio_at(made.instances) <= 1;
  } else {
    made.instances = least(most, [&](std::int64_t some) { return ratio_at(some) <= 1; });
    made.meets = made.instances > 0;
    if (!made.meets) {
      const double lowest = ratio_at(most) * kNearly;
      made.instances = least(most, [&](std::int64_t some) { return ratio_at(some) <= lowest; });
    }
    if (made.instances == 0) made.instances = most;
  }
  made.ratio = ratio_at(made.instances);
  setups.push_back(made);
  add_rates(limits, ready);
}

void ServiceGroup::add_rates(std::size_t limits, const Ready& ready) {
  const std::int64_t most = load_->most_instances();
  const auto serves = [&](std::int64_t some) { return !estimate_at(ready, some).overloaded; };
  const std::int64_t first = load_->instances == 0      ? least(most, serves)
                             : serves(load_->instances) ? load_->instances
                                                        : 0;
  if (first == 0) return;
  std::int64_t last = 0;
  for (const double load : std::span(kLoads).first(load_->instances > 0 ? 1 : kLoads.size())) {
    const std::int64_t instances =
        std::min<std::int64_t>(std::llround(std::ceil(static_cast<double>(first) * load)), most);
    if (instances == last) continue;
    last = instances;
    const serving::ServiceMetrics metrics = estimate_at(ready, instances).metrics;
    if (metrics.tpot.mean > 0)
      rates.push_back({limits, instances, 1 / metrics.tpot.mean,
                       metrics.output_per_s / static_cast<double>(instances * size_.devices())});
  }
}

Result<ServicePoint> ServiceGroup::simulate(std::size_t limits, std::int64_t instances) {
  const auto [known, is_new] = simulated_.try_emplace({limits, instances});
  ServicePoint& point = known->second;
  if (!is_new) return point;
  ++simulations;
  const Ready& ready = ready_[limits];
  point.question = ready.question;
  point.question.instances = instances;
  point.devices = instances * size_.devices();
  point.price = size_.price;
  const serving::ServingSetup setup = with_instances(ready, instances);
  point.estimate = steady_state(load_->moments, setup, *ready.cost).metrics;
  const auto run = serving::serve(load_->stream, setup, *ready.cost);
  if (!run) return tl::unexpected(run.error());
  point.simulated = serving::measure(load_->stream, setup, *run, load_->limits);
  point.ratio = serving::largest_ratio(point.simulated, load_->limits);
  point.meets = serving::meets(point.simulated, load_->limits);
  return point;
}

Result<ServicePoint> ServiceGroup::search(const EstimatedSetup& setup) {
  // An estimate of endless queues says nothing about a load that soon ends.
  const int tries = setup.meets ? 6 : std::isfinite(setup.ratio) ? 2 : 16;
  const std::int64_t most = load_->most_instances();
  auto best = simulate(setup.limits, setup.instances);
  if (!best || load_->instances > 0) return best;
  const bool first_meets = best->meets;
  std::int64_t low = first_meets ? 0 : setup.instances, high = first_meets ? setup.instances : 0;
  // Away from the estimate, in steps that double, until the answer changes.
  std::int64_t step = std::max<std::int64_t>(setup.instances / 8, 1), at = setup.instances;
  for (int i = 0; i < tries && (low == 0 || high == 0); ++i, step *= 2) {
    const std::int64_t next =
        first_meets ? std::max<std::int64_t>(at - step, 1) : std::min(at + step, most);
    if (next == at) break;
    at = next;
    const auto point = simulate(setup.limits, at);
    if (!point) return point;
    (point->meets ? high : low) = at;
    if (point->meets ? !best->meets || at < best->question.instances
                     : !best->meets && point->ratio < best->ratio / kNearly)
      best = point;
  }
  if (high == 0) return best;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto point = simulate(setup.limits, middle);
    if (!point) return point;
    (point->meets ? high : low) = middle;
    if (point->meets) best = point;
  }
  return best;
}

}  // namespace orrery::explore
