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
TEST(Intervals, ClassesAddAsRootOfSquaresUpAndDownApart) {
  const result::Run run = run_of({{"a", us(60), ErrorInterval{us(-5), us(3)}},
                                  {"b", us(40), ErrorInterval{us(-12), us(4)}},
                                  {"recorded", us(10), ErrorInterval{}}});
  const auto band = step_interval(run.error_classes, run.step);
  ASSERT_TRUE(band);
  EXPECT_EQ(band->lower, us(110 - 13));
  EXPECT_EQ(band->upper, us(110 + 5));
  EXPECT_EQ(band->unknown, Time{});
}

// 3 us of known errors up and 2 us that last 402 % longer, which no known error is part of.
TEST(Intervals, PartsWithoutAKnownErrorCountAsOneClass) {
  const std::vector<ErrorClass> classes = {
      {"a", us(97), ErrorInterval{us(-4), us(3)}}, {"network", us(1), {}}, {"waiting", us(2), {}}};
  const auto band = step_interval(classes, us(100));
  ASSERT_TRUE(band);
  EXPECT_EQ(band->lower, us(96));
  EXPECT_NEAR(seconds(band->upper), 100e-6 + std::hypot(3e-6, 3e-6 * kUnknownError.upper), 1e-11);
  EXPECT_EQ(band->unknown, us(3));
  EXPECT_EQ(unknown_part_text(classes, us(100)), "3.0 % of the critical path (mainly waiting)");
  EXPECT_EQ(no_interval_reason(classes, us(100)), "");
  EXPECT_EQ(unknown_error_text(),
            "+20 to +402 % (measured kernels against their roofline, widest class)");
}

TEST(Intervals, NeedFourFifthsWithAKnownError) {
  for (const int unknown : {20, 21}) {
    const std::vector<ErrorClass> classes = {{"a", us(100 - unknown), ErrorInterval{us(-6), us(6)}},
                                             {"network", us(unknown), {}}};
    EXPECT_EQ(step_interval(classes, us(100)).has_value(), unknown == 20);
    EXPECT_EQ(no_interval_reason(classes, us(100)),
              unknown == 20 ? ""
                            : "21.0 % of the critical path (mainly network) has no known error; an "
                              "interval needs 80 % with one");
  }
  // Recorded times have no error of their own: there is nothing to explain.
  const std::vector<ErrorClass> recorded = {{"recorded", us(40), ErrorInterval{}}};
  EXPECT_FALSE(step_interval(recorded, us(40)));
  EXPECT_EQ(no_interval_reason(recorded, us(40)), "");
  EXPECT_EQ(no_interval_reason({}, Time{}), "");
}

// Most of two steps may have no known error: what they have in common cancels.
TEST(Intervals, OfADifferenceDependOnWhatDiffers) {
  const auto step = [](int gemm, int network) {
    return run_of({{"gemm", us(gemm), ErrorInterval{us(-gemm / 10), us(gemm / 10)}},
                   {"network", us(network), {}}});
  };
  const StepDifference known = step_difference(step(100, 500), step(200, 500));
  ASSERT_TRUE(known.interval);
  EXPECT_EQ(known.interval->upper, us(110));
  const StepDifference little = step_difference(step(100, 500), step(200, 510));
  ASSERT_TRUE(little.interval);
  EXPECT_EQ(little.interval->lower, us(100));
  EXPECT_NEAR(seconds(little.interval->upper),
              110e-6 + std::hypot(10e-6, 10e-6 * kUnknownError.upper), 1e-11);
  const StepDifference shorter = step_difference(step(200, 510), step(100, 500));
  ASSERT_TRUE(shorter.interval);
  EXPECT_EQ(shorter.interval->upper, us(-100));
  EXPECT_NEAR(seconds(shorter.interval->lower),
              -110e-6 - std::hypot(10e-6, 10e-6 * kUnknownError.upper), 1e-11);
  const StepDifference much = step_difference(step(100, 500), step(110, 550));
  EXPECT_FALSE(much.interval);
  EXPECT_EQ(much.no_interval_reason,
            "83.3 % of what differs (mainly network) has no known error; an interval needs 80 % "
            "with one");
  const StepDifference equal = step_difference(step(100, 500), step(100, 500));
  EXPECT_FALSE(equal.interval);
  EXPECT_EQ(equal.no_interval_reason, "");
}

// A model that is wrong about one run is as wrong about the other.
TEST(Intervals, SharedErrorsCancelInADifference) {
  const result::Run a = run_of({{"gemm", us(100), ErrorInterval{us(-10), us(10)}},
                                {"x", us(20), ErrorInterval{us(-3), us(3)}}});
  const result::Run b = run_of({{"gemm", us(100), ErrorInterval{us(-10), us(10)}},
                                {"x", us(10), ErrorInterval{us(-2), us(1)}}});
  const auto band = step_difference(a, b).interval;
  ASSERT_TRUE(band);
  // Of x ten us are less: they are 1 us longer or 2 us shorter in truth.
  EXPECT_EQ(band->lower, us(-10 - 2));
  EXPECT_EQ(band->upper, us(-10 + 1));
  EXPECT_FALSE(band->contains_zero());
  EXPECT_EQ(band->unknown, Time{});
  const auto back = step_difference(b, a).interval;
  EXPECT_EQ(back->lower, us(10 - 1));
  EXPECT_EQ(back->upper, us(10 + 2));
}

TEST(Intervals, ClassesOfOneRunAloneAreErrorsOfTheDifference) {
  const result::Run a = run_of({{"heuristic gemm", us(100), ErrorInterval{us(-20), us(30)}}});
  const result::Run b =
      run_of({{"learned gemm", us(95), ErrorInterval{us(-15), us(40)}}, {"network", us(7), {}}});
  const auto band = step_difference(a, b).interval;
  ASSERT_TRUE(band);
  // b may be 40 longer while a is 20 shorter than predicted, or b 15 shorter and a 30 longer … each
  // with its own error.
  EXPECT_NEAR(seconds(band->upper), 2e-6 + std::hypot(40e-6, 20e-6, 7e-6 * kUnknownError.upper),
              1e-11);
  EXPECT_NEAR(seconds(band->lower), 2e-6 - std::hypot(15e-6, 30e-6), 1e-11);
  EXPECT_TRUE(band->contains_zero());
  EXPECT_EQ(band->unknown, us(7));
}

TEST(Intervals, OtherDevicesAndOtherTablesShareNothing) {
  const std::vector<ErrorClass> classes = {{"table gemm", us(100), ErrorInterval{us(-10), us(10)}}};
  const result::Run a = run_of(classes);
  result::Run b = run_of(classes);
  EXPECT_FALSE(step_difference(a, b).interval);
  b.device = "a100";
  EXPECT_NEAR(seconds(step_difference(a, b).interval->upper), std::hypot(10e-6, 10e-6), 1e-11);
  b.device.clear();
  b.manifest = {{"kernel_table_hash", "1"}};
  EXPECT_NEAR(seconds(step_difference(a, b).interval->upper), std::hypot(10e-6, 10e-6), 1e-11);
  b.stalled = true;
  EXPECT_FALSE(step_difference(a, b).interval);
}

TEST(Intervals, AreWrittenInTheUnitOfWhatTheyAreOf) {
  EXPECT_EQ(interval_text(us(6'210'000), us(5'790'000), us(6'690'000)), "(5.8 … 6.7)");
  EXPECT_EQ(interval_text(us(998'000), us(940'000), us(1'100'000)), "(940 … 1100)");
  EXPECT_EQ(interval_text(us(100), us(100), us(100)), "(100 … 100)");
  EXPECT_EQ(error_interval_text(ErrorInterval{us(-7), us(8)}, us(100)), "-7.0 to +8.0 %");
  EXPECT_EQ(error_interval_text(ErrorInterval{us(-25), us(60)}, us(100)), "-25 to +60 %");
}

}  // namespace
}  // namespace orrery::analysis
