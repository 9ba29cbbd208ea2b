// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/prediction_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orrery/analysis/value_text.h"

namespace orrery::analysis {
namespace {

using result::ErrorClass;
using result::ErrorInterval;
using result::Run;

Run run_of(std::vector<ErrorClass> classes) {
  Run run;
  for (const ErrorClass& one : classes) run.step += one.time;
  run.error_classes = std::move(classes);
  return run;
}

// 3 and 4 us up make 5, 5 and 12 us down make 13.
TEST(Bands, ClassesAddAsRootOfSquaresUpAndDownApart) {
  const result::Run run = run_of({{"a", us(60), ErrorInterval{us(-5), us(3)}},
                                  {"b", us(40), ErrorInterval{us(-12), us(4)}},
                                  {"recorded", us(10), ErrorInterval{}}});
  const auto band = step_interval(run.error_classes, run.step);
  ASSERT_TRUE(band);
  EXPECT_EQ(band->lower, us(110 - 13));
  EXPECT_EQ(band->upper, us(110 + 5));
  EXPECT_EQ(band->unknown, Time{});
}

TEST(Bands, WhatIsNotKnownIsSaidAndNotCounted) {
  const result::Run run =
      run_of({{"a", us(60), ErrorInterval{us(-6), us(6)}}, {"network", us(40), {}}});
  const auto band = step_interval(run.error_classes, run.step);
  ASSERT_TRUE(band);
  EXPECT_EQ(band->upper, us(106));
  EXPECT_EQ(band->unknown, us(40));
  EXPECT_FALSE(step_interval(run_of({{"network", us(40), {}}}).error_classes, us(40)));
  EXPECT_FALSE(
      step_interval(run_of({{"recorded", us(40), ErrorInterval{}}}).error_classes, us(40)));
}

// A model that is wrong about one run is as wrong about the other.
TEST(Bands, SharedErrorsCancelInADifference) {
  const result::Run a = run_of({{"gemm", us(100), ErrorInterval{us(-10), us(10)}},
                                {"x", us(20), ErrorInterval{us(-3), us(3)}}});
  const result::Run b = run_of({{"gemm", us(100), ErrorInterval{us(-10), us(10)}},
                                {"x", us(10), ErrorInterval{us(-2), us(1)}}});
  const auto band = difference_interval(a, b);
  ASSERT_TRUE(band);
  // Of x ten us are less: they are 1 us longer or 2 us shorter in truth.
  EXPECT_EQ(band->lower, us(-10 - 2));
  EXPECT_EQ(band->upper, us(-10 + 1));
  EXPECT_FALSE(band->contains_zero());
  EXPECT_EQ(band->unknown, Time{});
  const auto back = difference_interval(b, a);
  EXPECT_EQ(back->lower, us(10 - 1));
  EXPECT_EQ(back->upper, us(10 + 2));
}

TEST(Bands, ClassesOfOneRunAloneAreErrorsOfTheDifference) {
  const result::Run a = run_of({{"heuristic gemm", us(100), ErrorInterval{us(-20), us(30)}}});
  const result::Run b =
      run_of({{"learned gemm", us(95), ErrorInterval{us(-15), us(40)}}, {"network", us(7), {}}});
  const auto band = difference_interval(a, b);
  ASSERT_TRUE(band);
  // b may be 40 longer while a is 20 shorter than predicted, or b 15 shorter and a 30 longer … each
  // with its own error.
  EXPECT_NEAR(seconds(band->upper), 2e-6 + std::hypot(40e-6, 20e-6), 1e-11);
  EXPECT_NEAR(seconds(band->lower), 2e-6 - std::hypot(15e-6, 30e-6), 1e-11);
  EXPECT_TRUE(band->contains_zero());
  EXPECT_EQ(band->unknown, us(7));
}

TEST(Bands, OtherDevicesAndOtherTablesShareNothing) {
  const std::vector<ErrorClass> classes = {{"table gemm", us(100), ErrorInterval{us(-10), us(10)}}};
  const result::Run a = run_of(classes);
  result::Run b = run_of(classes);
  EXPECT_FALSE(difference_interval(a, b));
  b.device = "a100";
  EXPECT_NEAR(seconds(difference_interval(a, b)->upper), std::hypot(10e-6, 10e-6), 1e-11);
  b.device.clear();
  b.manifest = {{"kernel_table_hash", "1"}};
  EXPECT_NEAR(seconds(difference_interval(a, b)->upper), std::hypot(10e-6, 10e-6), 1e-11);
  b.stalled = true;
  EXPECT_FALSE(difference_interval(a, b));
}

TEST(Bands, AreWrittenInTheUnitOfWhatTheyAreOf) {
  EXPECT_EQ(interval_text(us(6'210'000), us(5'790'000), us(6'690'000)), "(5.8 … 6.7)");
  EXPECT_EQ(interval_text(us(998'000), us(940'000), us(1'100'000)), "(940 … 1100)");
  EXPECT_EQ(interval_text(us(100), us(100), us(100)), "(100 … 100)");
  EXPECT_EQ(error_interval_text(ErrorInterval{us(-7), us(8)}, us(100)), "-7.0 to +8.0 %");
  EXPECT_EQ(error_interval_text(ErrorInterval{us(-25), us(60)}, us(100)), "-25 to +60 %");
}

}  // namespace
}  // namespace orrery::analysis
