// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/statistics/statistics.h"

namespace orrery::serving {

Latency latency_of(std::vector<double> values) {
  Latency made;
  if (values.empty()) return made;
  made.mean = mean(values);
  made.p50 = quantile_nearest_rank(values, 0.5);
  made.p90 = quantile_nearest_rank(values, 0.9);
  made.p99 = quantile_nearest_rank(values, 0.99);
  made.most = std::ranges::max(values);
  return made;
}

std::string StatisticLimit::name() const {
  return fmt::format("{}_{}", config::enum_name(latency), config::enum_name(statistic));
}

double statistic_of(const ServiceMetrics& metrics, const StatisticLimit& limit) {
  constexpr std::array kLatencies{&ServiceMetrics::ttft, &ServiceMetrics::tpot,
                                  &ServiceMetrics::gap, &ServiceMetrics::latency};
  constexpr std::array kStatistics{&Latency::mean, &Latency::p50, &Latency::p90, &Latency::p99};
  return metrics.*kLatencies[static_cast<std::size_t>(limit.latency)].*
         kStatistics[static_cast<std::size_t>(limit.statistic)];
}

bool meets(const ServiceMetrics& metrics, const ServiceLimits& limits) {
  return metrics.good_share >= limits.share &&
         std::ranges::all_of(limits.statistics, [&](const StatisticLimit& one) {
           return statistic_of(metrics, one) <= one.seconds;
         });
}

double largest_ratio(const ServiceMetrics& metrics, const ServiceLimits& limits) {
  double most = 0;
  const auto add = [&](const StatisticLimit& one) {
    most = std::max(most, statistic_of(metrics, one) / one.seconds);
  };
  for (const StatisticLimit& one : limits.statistics) add(one);
  const Statistic percentile = limits.share <= 0.5   ? Statistic::p50
                               : limits.share <= 0.9 ? Statistic::p90
                                                     : Statistic::p99;
  if (limits.ttft) add({LatencyKind::ttft, percentile, *limits.ttft});
  if (limits.tpot) add({LatencyKind::tpot, percentile, *limits.tpot});
  if (limits.latency) add({LatencyKind::latency, percentile, *limits.latency});
  return most;
}

namespace {

struct RequestLatencies {
  std::vector<double> ttft, tpot, latency, waiting;
  std::uint64_t good = 0;
};

RequestLatencies latencies_of(const RequestStream& stream, const ServingRun& run,
                              const ServiceLimits& limits) {
  RequestLatencies all;
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    const RequestTimes& one = run.times[i];
    if (!one.ended) continue;
    const double ttft = seconds(one.first_token - one.arrival);
    const double latency = seconds(one.last_token - one.arrival);
    const std::int64_t later = stream.requests[i].output - 1;
    const double tpot =
        later > 0 ? seconds(one.last_token - one.first_token) / static_cast<double>(later) : 0;
    all.ttft.push_back(ttft);
    all.latency.push_back(latency);
    all.waiting.push_back(seconds(one.started - one.arrival));
    if (later > 0) all.tpot.push_back(tpot);
    const bool good = (!limits.ttft || ttft <= *limits.ttft) &&
                      (!limits.tpot || tpot <= *limits.tpot) &&
                      (!limits.latency || latency <= *limits.latency);
    all.good += good ? 1 : 0;
  }
  return all;
}

Occupancy occupancy_of(const ServingSetup& setup, const ServingRun& run, double duration) {
  Occupancy made;
  double busy = 0, steps = 0;
  for (const auto& steps_of_one : run.steps) {
    for (const StepRecord& step : steps_of_one) {
      const double time = seconds(step.end - step.start);
      busy += time;
      ++steps;
      made.running += time * step.running;
      made.waiting += time * step.waiting;
      made.cache += time * static_cast<double>(step.held_blocks);
      made.tokens += static_cast<double>(step.tokens);
      made.most_running = std::max<std::int64_t>(made.most_running, step.running);
      made.most_waiting = std::max<std::int64_t>(made.most_waiting, step.waiting);
      made.most_blocks = std::max(made.most_blocks, step.held_blocks);
    }
  }
  if (busy > 0) {
    made.running /= busy;
    made.waiting /= busy;
    made.cache /= busy * static_cast<double>(std::max<std::int64_t>(setup.blocks, 1));
    made.tokens /= steps;
  }
  if (duration > 0) made.busy = busy / (duration * static_cast<double>(run.steps.size()));
  return made;
}

}  // namespace

ServiceMetrics measure(const RequestStream& stream, const ServingSetup& setup,
                       const ServingRun& run, const ServiceLimits& limits) {
  ServiceMetrics made;
  RequestLatencies all = latencies_of(stream, run, limits);
  const auto count = static_cast<double>(all.ttft.size());
  if (!all.ttft.empty()) made.good_share = static_cast<double>(all.good) / count;
  made.ttft = latency_of(std::move(all.ttft));
  made.tpot = latency_of(std::move(all.tpot));
  made.latency = latency_of(std::move(all.latency));
  made.waiting = latency_of(std::move(all.waiting));
  std::vector<double> gaps;
  gaps.reserve(run.gaps.size());
  for (const std::uint32_t gap : run.gaps) gaps.push_back(gap * 1e-6);
  made.gap = latency_of(std::move(gaps));
  Time first = kTimeMax;
  std::int64_t cached = 0;
  for (const RequestTimes& one : run.times) {
    first = std::min(first, one.arrival);
    cached += one.cached;
  }
  made.duration = run.times.empty() ? 0 : seconds(run.end - first);
  const auto input = static_cast<double>(stream.input_tokens());
  const auto output = static_cast<double>(stream.output_tokens());
  if (made.duration > 0) {
    made.requests_per_s = count / made.duration;
    made.output_per_s = output / made.duration;
    made.tokens_per_s = (input + output) / made.duration;
    made.goodput = static_cast<double>(all.good) / made.duration;
  }
  made.cached_share = input > 0 ? static_cast<double>(cached) / input : 0;
  made.preemptions = run.preemptions;
  for (const auto& steps : run.steps) made.steps += steps.size();
  made.occupancy = occupancy_of(setup, run, made.duration);
  return made;
}

std::vector<ServiceInterval> intervals_of(const ServingSetup& setup, const ServingRun& run,
                                          std::size_t count) {
  std::vector<ServiceInterval> all(count);
  const double length = seconds(run.end) / static_cast<double>(std::max<std::size_t>(count, 1));
  if (!(length > 0)) return {};
  for (std::size_t i = 0; i < count; ++i) {
    all[i].start = static_cast<double>(i) * length;
    all[i].end = static_cast<double>(i + 1) * length;
  }
  std::vector<double> busy(count);
  for (const auto& steps : run.steps)
    for (const StepRecord& step : steps) {
      const std::size_t at =
          std::min(static_cast<std::size_t>(seconds(step.end) / length), count - 1);
      const double time = seconds(step.end - step.start);
      ServiceInterval& one = all[at];
      busy[at] += time;
      one.running += time * step.running;
      one.waiting += time * step.waiting;
      one.cache += time * static_cast<double>(step.held_blocks);
      one.output_per_s += step.samples;
      one.input_per_s += static_cast<double>(step.tokens - step.decodes);
    }
  for (std::size_t i = 0; i < count; ++i) {
    ServiceInterval& one = all[i];
    one.output_per_s /= length;
    one.input_per_s /= length;
    if (busy[i] <= 0) continue;
    one.running /= busy[i];
    one.waiting /= busy[i];
    one.cache /= busy[i] * static_cast<double>(std::max<std::int64_t>(setup.blocks, 1));
  }
  return all;
}

}  // namespace orrery::serving
