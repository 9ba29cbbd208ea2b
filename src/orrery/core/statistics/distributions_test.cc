// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

TEST(Normal, IsAsTheLibraryHasIt) {
  for (double x = -7; x <= 7; x += 0.173)
    EXPECT_NEAR(normal_upper_tail(x), 0.5 * std::erfc(x / std::sqrt(2)), 2e-15) << x;
  for (const double x : {5.5, 6.0, 8.0, 12.0})
    EXPECT_NEAR(normal_upper_tail(x) / (0.5 * std::erfc(x / std::sqrt(2))), 1, 1e-9) << x;
}

TEST(Normal, QuantilesAreItsInverse) {
  for (const double p : {1e-12, 1e-6, 0.01, 0.07, 0.3, 0.5, 0.9, 0.975, 0.999, 1 - 1e-9})
    EXPECT_NEAR(normal_upper_tail(normal_quantile(p)), 1 - p, 1e-14) << p;
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
}

// Compared with the sum of all terms, each computed independently.
TEST(Binomial, TailsAreSumsOfTheirTerms) {
  for (const double each : {0.01, 0.125, 0.5, 0.9})
    for (const std::uint64_t of : {1, 5, 20, 200})
      for (std::uint64_t times = 0; times <= of; times += 1 + of / 7) {
        double sum = 0;
        for (std::uint64_t k = times; k <= of; ++k) sum += binomial_probability(k, of, each);
        EXPECT_NEAR(binomial_upper_tail(times, of, each), sum, 1e-10) << times << " " << of;
      }
  EXPECT_NEAR(binomial_upper_tail(5, 5, 0.125), std::pow(0.125, 5), 1e-15);
  EXPECT_EQ(binomial_upper_tail(6, 5, 0.5), 0);
  EXPECT_LT(binomial_upper_tail(90'000, 100'000, 0.125), 1e-200);
}

TEST(Binomial, ProbabilitiesAreThoseOfPascalsTriangle) {
  EXPECT_NEAR(binomial_probability(0, 4, 0.5), 1 / 16.0, 1e-15);
  EXPECT_NEAR(binomial_probability(2, 4, 0.5), 6 / 16.0, 1e-15);
  EXPECT_NEAR(binomial_probability(4, 4, 0.5), 1 / 16.0, 1e-15);
  EXPECT_NEAR(binomial_probability(1, 3, 0.1), 0.243, 1e-15);
}

}  // namespace
}  // namespace orrery
