// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/widest_term.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery::analysis {
namespace {

using result::ErrorClass;
using result::ErrorInterval;

TEST(WidestTerm, NamesTheClassThatWidensTheIntervalMost) {
  std::vector<ErrorClass> classes = {{"learned gemm bf16", us(99), ErrorInterval{us(-5), us(9)}},
                                     {"between releases", Time{}, ErrorInterval{us(-4), us(18)}},
                                     {"waiting", us(1), {}}};
  EXPECT_EQ(widest_term_text(classes, us(100)), "between releases (-4 to +18 % of the step)");
  classes[1].off = ErrorInterval{us(-1), us(1)};
  EXPECT_EQ(widest_term_text(classes, us(100)), "learned gemm bf16 (-5 to +9 % of the step)");
  // 6 us that may last 402 % longer
  classes[0].time = us(94);
  classes[2].time = us(6);
  EXPECT_EQ(widest_term_text(classes, us(100)),
            "parts without a known error (+0 to +24 % of the step)");
}

TEST(WidestTerm, IsEmptyWithoutAnInterval) {
  EXPECT_EQ(widest_term_text({}, us(100)), "");
  const std::vector<ErrorClass> unknown = {
      {"roofline", us(100), {}}, {"between releases", Time{}, ErrorInterval{us(-4), us(9)}}};
  EXPECT_EQ(widest_term_text(unknown, us(100)), "");
}

}  // namespace
}  // namespace orrery::analysis
