// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/time_provenance.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(TimeProvenance, IsCalledByItsName) {
  for (std::size_t i = 0; i < kTimeProvenances; ++i) {
    const auto provenance = static_cast<TimeProvenance>(i);
    EXPECT_EQ(time_provenance_named(name(provenance)), provenance);
  }
  EXPECT_FALSE(time_provenance_named("guessed"));
  EXPECT_FALSE(time_provenance_named(""));
}

TEST(TimeProvenance, IsToldInSharesTheLargestFirst) {
  TimeByProvenance all{};
  EXPECT_EQ(provenance_text(all), "");
  all[static_cast<std::size_t>(TimeProvenance::recorded)] = Time(250);
  all[static_cast<std::size_t>(TimeProvenance::extrapolated)] = Time(749);
  all[static_cast<std::size_t>(TimeProvenance::formula)] = Time(1);
  EXPECT_EQ(provenance_text(all), "extrapolated 74.9 %, recorded 25.0 %, formula 0.1 %");
  all[static_cast<std::size_t>(TimeProvenance::extrapolated)] = Time(7490);
  EXPECT_EQ(provenance_text(all), "extrapolated 96.8 %, recorded 3.2 %");
}

}  // namespace
}  // namespace orrery
