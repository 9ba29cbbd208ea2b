// SPDX-License-Identifier: Apache-2.0
//
// How many times as long one rank takes for a step's work as without variability: its distribution,
// that of the most of many, and draws.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/platform/catalogue/variability.h"

namespace orrery::model {

/// The parts of one drawn factor.
struct RankSample {
  double speed = 1;   ///< of the rank, slow ones' factor among it
  double jitter = 1;  ///< of the rank in this step
  double stall = 0;   ///< seconds

  /// Of a rank that computes for so many seconds.
  [[nodiscard]] double factor(double seconds) const {
    return speed * jitter + (seconds > 0 ? stall / seconds : 0);
  }
};

/// What a share of `p`, above 0 and below 1, of such factors is below of.
[[nodiscard]] double quantile(const platform::FactorDistribution& spread, double p);
/// A draw of a factor with this distribution: the same for the same bits.
[[nodiscard]] double sample(const platform::FactorDistribution& spread, std::uint64_t bits);

/// What befalls a rank in a step. Steps of one fleet (`fleet`) share speeds.
[[nodiscard]] RankSample sample_rank(const platform::Variability& variability, std::uint64_t seed,
                                     std::uint64_t fleet, std::uint64_t step, std::uint64_t rank);
/// What befalls the network.
[[nodiscard]] double sample_network(const platform::Variability& variability, std::uint64_t seed,
                                    std::uint64_t step);

/// The distribution of one rank's factor. A uniform spread is taken as 64 equal parts where it
/// meets another one; stalls are added to the middles of so many equal parts of the rest as make
/// about 256.
class RankFactor {
 public:
  /// `seconds`: what the rank computes in a step; stalls are told against it. 0: there are none.
  RankFactor(const platform::Variability& variability, double seconds);

  /// How probably it is above `x`. O(parts)
  [[nodiscard]] double above(double x) const;
  /// What a share of `q` (above 0, below 1) is above of. O(parts log)
  [[nodiscard]] double exceeded_by(double q) const;

 private:
  /// A log-normal (sigma > 0) of this median, or evenly from `from` to `to`, which may be equal.
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

/// The most of `count` factors that are drawn independently: F(x)^count, in closed form.
class MaximumOf {
 public:
  MaximumOf(const RankFactor& one, double count);

  /// What a share of `q` (above 0, below 1) of such maxima is above of.
  [[nodiscard]] double exceeded_by(double q) const;
  [[nodiscard]] double quantile(double p) const { return exceeded_by(1 - p); }
  [[nodiscard]] double mean() const;  ///< by Simpson's rule between 80 quantiles

 private:
  [[nodiscard]] double above(double x) const;

  const RankFactor& one_;
  double count_;
};

/// Quantiles of it, looked up: for draws by the million. Between 321 of them, evenly spaced in the
/// logarithm of p / (1 - p), lines are drawn.
class MaximumTable {
 public:
  explicit MaximumTable(const MaximumOf& maximum);

  /// Of p between 2^-40 and 1 - 2^-40, and else of the nearer of these.
  [[nodiscard]] double quantile(double p) const;

 private:
  std::vector<double> values_;
};

}  // namespace orrery::model
