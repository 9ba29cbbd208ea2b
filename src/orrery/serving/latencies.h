// SPDX-License-Identifier: Apache-2.0
//
// What users of a server see: latencies, throughput, goodput.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/serving/simulation.h"

namespace orrery::serving {

/// Statistics of a latency in seconds.
struct Latency {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, most = 0;
};
/// Percentiles are nearest ranks. All 0 without values.
[[nodiscard]] Latency latency_of(std::vector<double> values);

/// The latencies that limits have, under vLLM's names.
enum class LatencyKind : std::uint8_t {
  ttft,     ///< ServiceMetrics::ttft
  tpot,     ///< ServiceMetrics::tpot
  itl,      ///< ServiceMetrics::gap
  latency,  ///< ServiceMetrics::latency
};
enum class Statistic : std::uint8_t { mean, p50, p90, p99 };

/// A limit of a statistic over all requests: "ttft_p99=500ms".
struct StatisticLimit {
  LatencyKind latency = LatencyKind::ttft;
  Statistic statistic = Statistic::mean;
  double seconds = 0;

  /// "ttft_p99"
  [[nodiscard]] std::string name() const;
};

/// Limits of a service; an empty one is always met.
struct ServiceLimits {
  std::optional<double> ttft, tpot, latency;  ///< seconds, of one request
  double share = 0.99;                        ///< of the requests must meet the limits of one
  std::vector<StatisticLimit> statistics;

  /// Whether requests have limits.
  [[nodiscard]] bool limits_requests() const { return ttft || tpot || latency; }
};

/// Means over the time in which steps run, and extremes, of all instances.
struct Occupancy {
  double running = 0;  ///< sequences of a step
  double tokens = 0;   ///< of a step, over steps
  double waiting = 0;
  double cache = 0;  ///< share of blocks that are held
  double busy = 0;   ///< share of the time in which a step runs
  std::int64_t most_running = 0, most_waiting = 0, most_blocks = 0;
};

struct ServiceMetrics {
  Latency ttft;         ///< from the arrival to the first token
  Latency tpot;         ///< (last token - first token) / (tokens - 1), of requests with two or more
  Latency gap;          ///< between two tokens
  Latency latency;      ///< from the arrival to the last token
  Latency waiting;      ///< in the queue, until its first step
  double duration = 0;  ///< from the first arrival to the last token
  double requests_per_s = 0, output_per_s = 0, tokens_per_s = 0;
  double goodput = 0;       ///< requests per second that meet the limits
  double good_share = 1;    ///< of requests
  double cached_share = 0;  ///< of the tokens of prompts, in the prefix cache
  std::uint64_t preemptions = 0, steps = 0;
  Occupancy occupancy;
};

/// The statistic of a limit.
[[nodiscard]] double statistic_of(const ServiceMetrics& metrics, const StatisticLimit& limit);
/// Whether all limits are met.
[[nodiscard]] bool meets(const ServiceMetrics& metrics, const ServiceLimits& limits);
/// The largest ratio of a statistic to its limit. A limit of one request counts as one of the
/// percentile at or above the share of requests that must meet it; above p99 as p99. 0: no limit.
[[nodiscard]] double largest_ratio(const ServiceMetrics& metrics, const ServiceLimits& limits);

/// A part of the run, for tables and plots.
struct ServiceInterval {
  double start = 0, end = 0;  ///< seconds
  double running = 0, waiting = 0, cache = 0, output_per_s = 0, input_per_s = 0;
};

[[nodiscard]] ServiceMetrics measure(const RequestStream& stream, const ServingSetup& setup,
                                     const ServingRun& run, const ServiceLimits& limits = {});
/// The run in `count` intervals of equal length.
[[nodiscard]] std::vector<ServiceInterval> intervals_of(const ServingSetup& setup,
                                                        const ServingRun& run, std::size_t count);

}  // namespace orrery::serving

namespace orrery::config {
template <>
struct EnumNames<serving::LatencyKind> {
  static constexpr auto names =
      names_in_order<serving::LatencyKind::latency>("ttft", "tpot", "itl", "latency");
};
template <>
struct EnumNames<serving::Statistic> {
  static constexpr auto names =
      names_in_order<serving::Statistic::p99>("mean", "p50", "p90", "p99");
};
}  // namespace orrery::config
