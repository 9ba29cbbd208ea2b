// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "orrery/core/statistics/exact_math.h"

namespace orrery {

namespace {

constexpr double kSeriesTo = 5;
constexpr double kRootTwoPi = 2.5066282746310002;

/// c0 + c1 x + … + c7 x^7 over d0 + … + d7 x^7
double ratio(const std::array<double, 8>& above, const std::array<double, 8>& below, double x) {
  double a = 0, b = 0;
  for (std::size_t i = 8; i-- > 0;) {
    a = a * x + above[i];
    b = b * x + below[i];
  }
  return a / b;
}

// AS 241, PPND16: coefficients for the center, the tails and the far tails.
constexpr std::array<double, 8> kNearAbove = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                              1.9715909503065514427e3, 1.3731693765509461125e4,
                                              4.5921953931549871457e4, 6.7265770927008700853e4,
                                              3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array<double, 8> kNearBelow = {1.0,
                                              4.2313330701600911252e1,
                                              6.8718700749205790830e2,
                                              5.3941960214247511077e3,
                                              2.1213794301586595867e4,
                                              3.9307895800092710610e4,
                                              2.8729085735721942674e4,
                                              5.2264952788528545610e3};
constexpr std::array<double, 8> kTailAbove = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                              5.76949722146069140550e0,  3.64784832476320460504e0,
                                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kTailBelow = {1.0,
                                              2.05319162663775882187e0,
                                              1.67638483018380384940e0,
                                              6.89767334985100004550e-1,
                                              1.48103976427480074590e-1,
                                              1.51986665636164571966e-2,
                                              5.47593808499534494600e-4,
                                              1.05075007164441684324e-9};
constexpr std::array<double, 8> kFarAbove = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                             1.78482653991729133580e0,  2.96560571828504891230e-1,
                                             2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kFarBelow = {1.0,
                                             5.99832206555887937690e-1,
                                             1.36929880922735805310e-1,
                                             1.48753612908506148525e-2,
                                             7.86869131145613259100e-4,
                                             1.84631831751005468180e-5,
                                             1.42151175831644588870e-7,
                                             2.04426310338993978564e-15};

}  // namespace

double normal_upper_tail(double x) {
  if (x < 0) return 1 - normal_upper_tail(-x);
  const double density = exact_exp(-x * x / 2) / kRootTwoPi;
  if (x < kSeriesTo) {
    double term = x, sum = x;
    for (int n = 3; term > sum * 1e-17 && n < 200; n += 2) {
      term *= x * x / n;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  double fraction = x;
  for (int n = 40; n >= 1; --n) fraction = x + n / fraction;
  return density / fraction;
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(kNearAbove, kNearBelow, 0.180625 - q * q);
  const double r = std::sqrt(-exact_log(q < 0 ? p : 1 - p));
  const double z =
      r <= 5 ? ratio(kTailAbove, kTailBelow, r - 1.6) : ratio(kFarAbove, kFarBelow, r - 5);
  return q < 0 ? -z : z;
}

double binomial_probability(std::uint64_t successes, std::uint64_t trials, double probability) {
  const auto k = static_cast<double>(successes), n = static_cast<double>(trials);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                  k * std::log(probability) + (n - k) * std::log1p(-probability));
}

double binomial_upper_tail(std::uint64_t successes, std::uint64_t trials, double probability) {
  if (successes == 0) return 1;
  if (successes > trials || probability <= 0) return 0;
  if (probability >= 1) return 1;
  const double odds = probability / (1 - probability);
  // Computes the first term by its logarithm, and the others from ratios of consecutive terms.
  const auto all = static_cast<double>(trials), first = static_cast<double>(successes);
  double log_term = first * exact_log(probability) + (all - first) * exact_log(1 - probability);
  for (double i = 1; i <= std::min(first, all - first); ++i)
    log_term += exact_log((all - std::min(first, all - first) + i) / i);
  double term = 1, sum = 0;
  for (double k = first; k <= all && term > 0; ++k) {
    sum += term;
    term *= (all - k) / (k + 1) * odds;
    if (term < sum * 1e-17 && term > 0 && k > all * probability) break;
  }
  return std::min(1.0, exact_exp(log_term + exact_log(sum)));
}

}  // namespace orrery
