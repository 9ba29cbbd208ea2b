// SPDX-License-Identifier: Apache-2.0
//
// How to split a total of bandwidth among the dimensions of a network.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::split_bandwidth {

/// What a device sends for collectives that are alike, one after another.
struct Demand {
  std::vector<double> bytes;  ///< by dimension, innermost first; of one collective
  double times = 1;           ///< it is done; or the weight of its job times that
};

enum class SplitObjective : std::uint8_t {
  time,       ///< of the collectives, none of which overlaps anything
  time_cost,  ///< (what else a step takes + their time) × the network's cost
};

struct SplitProblem {
  Bandwidth total{};            ///< of all dimensions together: what a device can send at once
  std::vector<Demand> demands;  ///< of several jobs: each weighted
  SplitObjective objective = SplitObjective::time;
  double fixed_seconds = 0;   ///< seconds of a step that no bandwidth changes; for time_cost
  std::vector<double> costs;  ///< of a byte/s by dimension, in any money; for time_cost
  std::vector<Bandwidth> lower, upper;  ///< by dimension; empty: none
  /// The first of each has no less than the second.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
};

struct Split {
  std::vector<Bandwidth> bandwidth;  ///< by dimension; they come to the total
  double seconds = 0;                ///< of the collectives
  double value = 0;                  ///< of the objective: seconds, or seconds × cost
  double bound = 0;                  ///< no split has a lower value: proven by duality

  /// How far above the bound the value is, as a share of it.
  [[nodiscard]] double gap() const { return value > 0 ? (value - bound) / value : 0; }
};

/// Seconds that the collectives take with these bandwidths, bytes/s: Σ times × max_d bytes_d / B_d.
/// Source: LIBRA (ISPASS 2024, arXiv 2109.11762), its loop without overlap.
[[nodiscard]] double collective_seconds(const std::vector<Demand>& demands,
                                        const std::vector<Bandwidth>& bandwidth);

/// The objective's value with these bandwidths.
[[nodiscard]] double split_value(const SplitProblem& problem,
                                 const std::vector<Bandwidth>& bandwidth);

/// The split that is best by the objective, and a bound that proves it. LIBRA asks Gurobi; the
/// problem is convex: over time it is so as it stands, and time × cost becomes so once bandwidths
/// are told in shares of what the whole network costs: with B = total x / Σx and costs · x = 1 it
/// is besides × total / Σx + Σ times × max_d bytes_d / x_d.
/// Errc: config_range for numbers that are none or too large, and where nothing is sent;
/// config_conflict for bounds and orders that no split keeps; limit_exceeded.
/// Some 100 steps of O(demands × dims + dims³).
[[nodiscard]] Result<Split> best_split(const SplitProblem& problem);

}  // namespace orrery::split_bandwidth
