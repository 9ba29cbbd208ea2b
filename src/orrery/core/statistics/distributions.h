// SPDX-License-Identifier: Apache-2.0
//
// The normal and the binomial distribution. Tails and quantiles are the same on every machine: from
// sums, products and roots of doubles.
#pragma once

#include <cstdint>

namespace orrery {

/// How probably a standard normal number is above `x`; to about 1e-15, beyond 5 to 1e-10 of it.
/// Source: Marsaglia, "Evaluating the Normal Distribution" (Journal of Statistical Software 11(4),
/// 2004), §2: a series; beyond 5 Laplace's continued fraction. O(1): at most 200 terms.
[[nodiscard]] double normal_upper_tail(double x);

/// The standard normal number that lies above a share of `p`, between 0 and 1, neither of which it
/// is; to about 1e-15. Source: Wichura, "Algorithm AS 241" (Applied Statistics 37, 1988), PPND16.
/// O(1)
[[nodiscard]] double normal_quantile(double p);

/// The probability of exactly `times` in `of` independent trials of probability `each`, which is
/// above 0 and below 1: the binomial distribution, by logarithms of factorials. With the functions
/// of the C library, whose last bits differ between machines. O(1)
[[nodiscard]] double binomial_probability(std::uint64_t times, std::uint64_t of, double each);

/// The probability of `times` or more in `of` independent trials of probability `each`: the upper
/// tail of the binomial distribution, to about 1e-12. O(of - times)
[[nodiscard]] double binomial_upper_tail(std::uint64_t times, std::uint64_t of, double each);

}  // namespace orrery
