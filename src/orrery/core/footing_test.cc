// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/footing.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Footing, IsCalledByItsName) {
  for (std::size_t i = 0; i < kFootings; ++i) {
    const auto footing = static_cast<Footing>(i);
    EXPECT_EQ(footing_of(name(footing)), footing);
  }
  EXPECT_FALSE(footing_of("guessed"));
  EXPECT_FALSE(footing_of(""));
}

TEST(Footing, IsToldInSharesTheLargestFirst) {
  Footings all{};
  EXPECT_EQ(footings_text(all), "");
  all[static_cast<std::size_t>(Footing::recorded)] = Time(250);
  all[static_cast<std::size_t>(Footing::extrapolated)] = Time(749);
  all[static_cast<std::size_t>(Footing::formula)] = Time(1);
  EXPECT_EQ(footings_text(all), "extrapolated 74.9 %, recorded 25.0 %, formula 0.1 %");
  all[static_cast<std::size_t>(Footing::extrapolated)] = Time(7490);
  EXPECT_EQ(footings_text(all), "extrapolated 96.8 %, recorded 3.2 %");
}

}  // namespace
}  // namespace orrery
