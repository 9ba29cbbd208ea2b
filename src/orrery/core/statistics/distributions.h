// SPDX-License-Identifier: Apache-2.0
//
// The normal and the binomial distribution. Tails and quantiles are identical on all machines: they
// use only sums, products and roots of doubles.
#pragma once

#include <cstdint>

namespace orrery {

/// The probability that a standard normal number exceeds `x`. Absolute error about 1e-15; beyond 5,
/// relative error about 1e-10. Source: Marsaglia, "Evaluating the Normal Distribution" (Journal of
/// Statistical Software 11(4), 2004), §2: a series; beyond 5 Laplace's continued fraction. O(1): at
/// most 200 terms.
[[nodiscard]] double normal_upper_tail(double x);

/// The quantile `p` of the standard normal distribution, 0 < p < 1; error about 1e-15. Source:
/// Wichura, "Algorithm AS 241" (Applied Statistics 37, 1988), PPND16. O(1)
[[nodiscard]] double normal_quantile(double p);

/// The probability of exactly `successes` successes in `trials` independent trials, each of
/// probability `probability`, 0 < probability < 1: the binomial distribution, by logarithms of
/// factorials. Uses functions of the C library, whose last bits differ between machines. O(1)
[[nodiscard]] double binomial_probability(std::uint64_t successes, std::uint64_t trials,
                                          double probability);

/// The probability of at least `successes` successes in `trials` independent trials, each of
/// probability `probability`: the upper tail of the binomial distribution; error about 1e-12.
/// O(trials - successes)
[[nodiscard]] double binomial_upper_tail(std::uint64_t successes, std::uint64_t trials,
                                         double probability);

}  // namespace orrery
