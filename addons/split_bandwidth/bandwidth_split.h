// SPDX-License-Identifier: Apache-2.0
//
// Finds the best split of a total bandwidth over the dimensions of a network.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::split_bandwidth {

/// The bytes that a device sends for identical collectives, which run one after another.
struct CollectiveTraffic {
  std::vector<double> bytes;  ///< per collective, by dimension, innermost first
  double times = 1;  ///< number of collectives; for several jobs, times the weight of the job
};

enum class SplitObjective : std::uint8_t {
  time,       ///< time of the collectives, without overlap
  time_cost,  ///< (other time of a step + time of the collectives) × cost of the network
};

struct SplitProblem {
  Bandwidth total{};                       ///< of a device, over all dimensions
  std::vector<CollectiveTraffic> demands;  ///< for several jobs: weighted
  SplitObjective objective = SplitObjective::time;
  double fixed_seconds = 0;   ///< seconds of a step that do not depend on bandwidth; for time_cost
  std::vector<double> costs;  ///< per byte/s, by dimension, in any currency; for time_cost
  std::vector<Bandwidth> lower, upper;  ///< by dimension; empty: no bounds
  /// Pairs of dimensions: the first has at least the bandwidth of the second.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
};

struct Split {
  std::vector<Bandwidth> bandwidth;  ///< by dimension; sums to the total
  double seconds = 0;                ///< of the collectives
  double value = 0;                  ///< value of the objective: seconds, or seconds × cost
  double bound = 0;                  ///< lower bound of the value over all splits, from duality

  /// (value - bound) / value.
  [[nodiscard]] double gap() const { return value > 0 ? (value - bound) / value : 0; }
};

/// Seconds of the collectives with these bandwidths (bytes/s): Σ times × max_d bytes_d / B_d.
/// Source: LIBRA (ISPASS 2024, arXiv 2109.11762), its loop without overlap.
[[nodiscard]] double collective_seconds(const std::vector<CollectiveTraffic>& demands,
                                        const std::vector<Bandwidth>& bandwidth);

/// The value of the objective with these bandwidths.
[[nodiscard]] double split_value(const SplitProblem& problem,
                                 const std::vector<Bandwidth>& bandwidth);

/// The optimal split and a lower bound that proves it. LIBRA uses Gurobi. The problem is convex:
/// for `time` directly, and for `time_cost` if bandwidths are expressed as shares of the cost of
/// the network. With B = total x / Σx and costs · x = 1, the objective is fixed_seconds × total /
/// Σx + Σ times × max_d bytes_d / x_d. Errc: config_range for invalid or too large numbers, and if
/// nothing is sent; config_conflict if no split satisfies the bounds and orders; limit_exceeded.
/// About 100 steps of O(demands × dims + dims³).
[[nodiscard]] Result<Split> best_split(const SplitProblem& problem);

}  // namespace orrery::split_bandwidth
