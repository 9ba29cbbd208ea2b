// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace orrery {
namespace {

FittedLine line_through(const std::vector<std::pair<double, double>>& points) {
  RelativeLineSums sums;
  for (const auto& [x, y] : points) sums.add(x, y);
  return sums.line();
}

TEST(LeastSquares, FindTheLineThatPointsAreOn) {
  const FittedLine line = line_through({{1, 5}, {2, 7}, {10, 23}});
  EXPECT_NEAR(line.intercept, 3, 1e-12);
  EXPECT_NEAR(line.slope, 2, 1e-12);
  EXPECT_NEAR(line.error, 0, 1e-12);
}

// No line near it has less of what is made least.
TEST(LeastSquares, CountErrorsRelativeToTheValue) {
  const std::vector<std::pair<double, double>> points = {{1, 3}, {2, 7}, {5, 9}, {20, 50}};
  const auto squares = [&](double intercept, double slope) {
    double sum = 0;
    for (const auto& [x, y] : points) sum += std::pow((intercept + slope * x) / y - 1, 2);
    return sum;
  };
  const FittedLine line = line_through(points);
  EXPECT_NEAR(line.error, squares(line.intercept, line.slope), 1e-12);
  for (const double by : {-0.01, 0.01}) {
    EXPECT_LT(line.error, squares(line.intercept + by, line.slope));
    EXPECT_LT(line.error, squares(line.intercept, line.slope + by));
  }
}

TEST(LeastSquares, LinesHaveNoNegativePart) {
  const FittedLine falling = line_through({{1, 10}, {2, 8}, {3, 7}});
  EXPECT_GT(falling.intercept, 0);
  EXPECT_EQ(falling.slope, 0);
  const FittedLine steep = line_through({{1, 1}, {2, 4}, {3, 9}});
  EXPECT_EQ(steep.intercept, 0);
  EXPECT_GT(steep.slope, 0);
  const FittedLine single = line_through({{4, 12}});
  EXPECT_EQ(single.intercept, 12) << "one point does not say which";
  EXPECT_EQ(single.slope, 0);
}

TEST(LeastSquares, SolveEquations) {
  const auto found = solve_linear<3>({{{0, 2, 1, 7}, {1, 1, 1, 6}, {2, 0, 3, 11}}});
  EXPECT_NEAR(found[0], 1, 1e-12);
  EXPECT_NEAR(found[1], 2, 1e-12);
  EXPECT_NEAR(found[2], 3, 1e-12);
  const auto unknown = solve_linear<2>({{{1, 0, 5}, {0, 0, 0}}});
  EXPECT_EQ(unknown[0], 5);
  EXPECT_EQ(unknown[1], 0) << "nothing says what it is";
}

TEST(LeastSquares, FindTheParametersOfACurve) {
  using Parameters = std::array<double, 2>;
  const auto curve = [](const Parameters& at, double x) { return at[0] * std::exp(at[1] * x); };
  const auto gradient = [](const Parameters& at, double x) {
    const double grown = std::exp(at[1] * x);
    return Parameters{grown, at[0] * x * grown};
  };
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 10; ++i) points.emplace_back(i, curve({3, -0.4}, i));
  const Parameters found = fit_least_squares(Parameters{1, 0}, points, curve, gradient);
  EXPECT_NEAR(found[0], 3, 1e-6);
  EXPECT_NEAR(found[1], -0.4, 1e-6);
}

}  // namespace
}  // namespace orrery
