// SPDX-License-Identifier: Apache-2.0
//
// Random workloads on random platforms: what is saved cannot be seen in the result.
// ORRERY_SCALE_SEED and ORRERY_SCALE_CASES run others than the usual ones.
#include <gtest/gtest.h>

#include "random_case.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

TEST(Scale, WhatIsSavedCannotBeSeenInTheResult) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 1200, 200);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const Case drawn = draw_case(seed);
    EXPECT_EQ(compare(drawn.workload, drawn.platform, all_ways(), tally), "") << "seed " << seed;
  }
  print("random", tally);
  if (cases < 200) return;
  EXPECT_LT(tally.refused, cases / 10);
  EXPECT_LT(tally.stalled, cases / 20);
  EXPECT_GT(tally.folded, cases / 3);
  EXPECT_GT(tally.worked_out, cases / 3);
  EXPECT_GT(tally.skipping, cases / 200);
  EXPECT_GT(tally.parted, cases / 100);
}

// Most random workloads do not get far there: one communication at a time, and collectives that it
// does not know.
TEST(Scale, WhatIsSavedCannotBeSeenUnderAstraRules) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 800, 200);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case drawn = draw_case(seed);
    drawn.platform.rules = platform::Rules::astra;
    EXPECT_EQ(compare(drawn.workload, drawn.platform,
                      {{true, false, false, 1}, {true, true, true, 8}}, tally),
              "")
        << "seed " << seed;
  }
  print("ASTRA rules", tally);
  if (cases < 200) return;
  EXPECT_GT(tally.cases - tally.refused - tally.stalled, cases / 5);
  EXPECT_GT(tally.folded, cases / 20);
  EXPECT_EQ(tally.worked_out, 0u);
}

}  // namespace
}  // namespace orrery::scale
