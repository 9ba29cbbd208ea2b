// SPDX-License-Identifier: Apache-2.0
//
// The slowdown factor of one rank's step: its distribution, the distribution of the maximum over
// many ranks, and samples.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/platform/catalog/variability.h"

namespace orrery::model {

/// The parts of one sampled factor.
struct RankSample {
  double speed = 1;   ///< factor of the rank, including that of slow ranks
  double jitter = 1;  ///< factor of the rank in this step
  double stall = 0;   ///< seconds

  /// The factor of a rank that computes for `seconds`.
  [[nodiscard]] double factor(double seconds) const {
    return speed * jitter + (seconds > 0 ? stall / seconds : 0);
  }
};

/// The `p` quantile of factors; p is above 0 and below 1.
[[nodiscard]] double quantile(const platform::FactorDistribution& spread, double p);
/// Samples a factor; equal bits give equal samples.
[[nodiscard]] double sample(const platform::FactorDistribution& spread, std::uint64_t bits);

/// Samples the factor of a rank in a step. Steps with equal `fleet` share speeds.
[[nodiscard]] RankSample sample_rank(const platform::Variability& variability, std::uint64_t seed,
                                     std::uint64_t fleet, std::uint64_t step, std::uint64_t rank);
/// Samples the factor of the network in a step.
[[nodiscard]] double sample_network(const platform::Variability& variability, std::uint64_t seed,
                                    std::uint64_t step);

/// The distribution of one rank's factor. A uniform distribution that is combined with another one
/// is approximated by 64 equal parts. Stalls are added to the middles of equal parts of the
/// distribution without stalls, about 256 in total.
class RankFactor {
 public:
  /// `seconds`: the rank's computation in a step; stalls are relative to it. 0: no stalls.
  RankFactor(const platform::Variability& variability, double seconds);

  /// The probability that the factor is above `x`. O(parts)
  [[nodiscard]] double above(double x) const;
  /// The value that the factor exceeds with probability `q` (above 0, below 1). O(parts log)
  [[nodiscard]] double exceeded_by(double q) const;

 private:
  /// A log-normal distribution with this median (sigma > 0), or a uniform one from `from` to `to`,
  /// which may be equal.
  struct Part {
    double weight = 1, sigma = 0, median = 1;
    double from = 1, to = 1;

    [[nodiscard]] double above(double x) const;
    [[nodiscard]] double quantile(double p) const;
  };
  [[nodiscard]] double above_excluding_stalls(double x) const;

  std::vector<Part> parts_;
  double stall_rate_ = 0, stall_mean_ = 0;          // the mean in units of `seconds`
  std::vector<std::pair<double, double>> stalled_;  // weight, factor without the stall
};

/// The distribution of the maximum of `count` independent factors: F(x)^count, in closed form.
class MaximumOf {
 public:
  MaximumOf(const RankFactor& one, double count);

  /// The value that the maximum exceeds with probability `q` (above 0, below 1).
  [[nodiscard]] double exceeded_by(double q) const;
  [[nodiscard]] double quantile(double p) const { return exceeded_by(1 - p); }
  [[nodiscard]] double mean() const;  ///< by Simpson's rule between 80 quantiles

 private:
  [[nodiscard]] double above(double x) const;

  const RankFactor& one_;
  double count_;
};

/// A table of quantiles of MaximumOf, for millions of samples: 321 quantiles, evenly spaced in the
/// logarithm of p / (1 - p), with linear interpolation.
class MaximumTable {
 public:
  explicit MaximumTable(const MaximumOf& maximum);

  /// The `p` quantile; p is clamped to 2^-40 … 1 - 2^-40.
  [[nodiscard]] double quantile(double p) const;

 private:
  std::vector<double> values_;
};

}  // namespace orrery::model
