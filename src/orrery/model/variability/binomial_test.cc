// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "orrery/model/variability/normal.h"

namespace orrery::model {
namespace {

// Beside the sum of all terms, each from scratch.
TEST(Binomial, TailsAreSumsOfTheirTerms) {
  for (const double each : {0.01, 0.125, 0.5, 0.9})
    for (const std::uint64_t of : {1, 5, 20, 200})
      for (std::uint64_t times = 0; times <= of; times += 1 + of / 7) {
        double sum = 0;
        for (std::uint64_t k = times; k <= of; ++k)
          sum += std::exp(std::lgamma(of + 1.0) - std::lgamma(k + 1.0) - std::lgamma(of - k + 1.0) +
                          static_cast<double>(k) * std::log(each) +
                          static_cast<double>(of - k) * std::log1p(-each));
        EXPECT_NEAR(binomial_upper_tail(times, of, each), sum, 1e-10) << times << " " << of;
      }
  EXPECT_NEAR(binomial_upper_tail(5, 5, 0.125), std::pow(0.125, 5), 1e-15);
  EXPECT_EQ(binomial_upper_tail(6, 5, 0.5), 0);
  EXPECT_LT(binomial_upper_tail(90'000, 100'000, 0.125), 1e-200);
}

}  // namespace
}  // namespace orrery::model
