// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/factor_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace orrery::validate {
namespace {

constexpr const char* kToySteps =
    "id,source,model,tp,global_batch,gpu,n,dom,nvl,ib,prec,measured_s\n"
    "a,one,llama-3.1-8b,1,32,H100,8,8,450,50,,1\n"
    "b,one,llama-3.1-8b,2,32,H100,8,8,450,50,,1\n"
    "c,one,llama-2-7b,1,32,H100,8,8,450,50,,1\n"
    "d,two,llama-3.1-8b,4,32,H100,8,8,450,50,,1\n"
    "e,two,llama-2-7b,2,32,H100,8,8,450,50,,1\n"
    "f,two,llama-2-7b,4,32,H100,8,8,450,50,,1\n"
    "g,two,llama-2-7b,4,32,H100,8,8,450,50,fp8,1\n"
    "h,one,llama-3.1-8b,2,32,H100,8,8,450,50,fp8,1\n"
    "i,one,llama-3.1-8b,4,32,H100,8,8,450,50,fp8,1\n"
    "j,two,llama-3.1-8b,1,32,A100,8,8,300,25,,1\n";

/// Steps "measured" by our own model with these factors.
std::vector<MeasuredPoint> made_with(double wide, double narrow) {
  Findings findings;
  std::vector<MeasuredPoint> points = parse_points(kToySteps, "toys.csv", findings).value();
  for (MeasuredPoint& point : points)
    point.question.in_step_factors = {{16, wide, 0, 0}, {8, narrow, 0, 0}};
  const auto predictions = predict_points(points, {}).value();
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].seconds = predictions[i].seconds;
    points[i].question.in_step_factors.reset();
  }
  return points;
}

const FittedFactor& find(const FactorFit& fit, const std::string& device, std::int64_t bits) {
  for (const FittedFactor& one : fit.factors)
    if (one.device == device && one.bits == bits) return one;
  ADD_FAILURE() << device << " " << bits;
  return fit.factors.front();
}

TEST(FactorFit, GivesFactorsBack) {
  const auto points = made_with(1.15, 1.3);
  const auto fit = fit_factors(points, {});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(find(*fit, "h100-sxm", 16).factor, 1.15, 0.005);
  EXPECT_NEAR(find(*fit, "h100-sxm", 8).factor, 1.3, 0.01);
  EXPECT_EQ(find(*fit, "h100-sxm", 16).points, 6u);
  EXPECT_EQ(find(*fit, "h100-sxm", 16).sources, 2u);
  // One step is too little for a device's own; it takes what all say.
  EXPECT_NEAR(find(*fit, "", 16).factor, 1.15, 0.005);
  EXPECT_EQ(fit->factors.size(), 4u);
  ASSERT_EQ(fit->cross_validated.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_LT(std::abs(fit->cross_validated[i].error(points[i])), 0.01) << points[i].id;
}

// A source is not predicted by itself: a source with 50 % error changes none of its own steps.
TEST(FactorFit, LeavesTheSourceOutThatItPredicts) {
  auto points = made_with(1.1, 1.1);
  const auto before = fit_factors(points, {});
  for (MeasuredPoint& point : points)
    if (point.source == "two") point.seconds *= 1.5;
  const auto after = fit_factors(points, {});
  ASSERT_TRUE(before && after);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].source == "two") {
      EXPECT_EQ(after->cross_validated[i].seconds, before->cross_validated[i].seconds)
          << points[i].id;
    } else {
      EXPECT_GT(after->cross_validated[i].seconds, before->cross_validated[i].seconds)
          << points[i].id;
    }
  }
}

// Without the source, it is the simulated prediction. All models here are of one family, so that
// nothing is fitted without it: the factors are 1.
TEST(FactorFit, LeavesEachTraitOut) {
  auto points = made_with(1.1, 1.1);
  const auto before = fit_factors(points, {});
  for (MeasuredPoint& point : points) point.fitted = point.id != "a";
  const auto after = fit_factors(points, {});
  ASSERT_TRUE(before && after);
  ASSERT_EQ(after->left_out.size(), points.size());
  const std::size_t family = 1, release = 2;
  ASSERT_EQ(kLeftOutTraits[family], "family");
  ASSERT_EQ(kLeftOutTraits[release], "release");
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_DOUBLE_EQ(after->left_out[i][0], after->cross_validated[i].seconds) << points[i].id;
    EXPECT_GT(after->left_out[i][release], 0) << points[i].id;
    EXPECT_LT(after->left_out[i][family], before->left_out[i][release]) << points[i].id;
  }
  EXPECT_EQ(find(*after, "h100-sxm", 16).points, 5u) << "a is not fitted";
}

// Of a step that waits for something else nineteen parts in twenty kernels say little.
TEST(FactorFit, StepsWeighAsTheirKernelsDo) {
  auto points = made_with(1.15, 1.3);
  const auto before = fit_factors(points, {});
  ASSERT_TRUE(before);
  EXPECT_LT(find(*before, "h100-sxm", 16).upper, 0.01);
  for (MeasuredPoint& point : points)
    if (point.id == "c") point.seconds *= 20;
  const auto after = fit_factors(points, {});
  ASSERT_TRUE(after);
  EXPECT_NEAR(find(*after, "h100-sxm", 16).factor, 1.15, 0.005);
  EXPECT_LT(find(*after, "h100-sxm", 16).upper, 0.01);
}

TEST(FactorFit, OfOneSourceNothingIsKnownWithoutIt) {
  auto points = made_with(1.2, 1.2);
  for (MeasuredPoint& point : points) point.source = "one";
  const auto fit = fit_factors(points, {});
  ASSERT_TRUE(fit);
  for (MeasuredPoint& point : points) point.question.in_step_factors.emplace();
  const auto plain = predict_points(points, {}).value();
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(fit->cross_validated[i].seconds, plain[i].seconds);
}

}  // namespace
}  // namespace orrery::validate
