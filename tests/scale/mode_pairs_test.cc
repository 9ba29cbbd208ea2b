// SPDX-License-Identifier: Apache-2.0
//
// Two modes put upon each random case: every pair of them, again and again, under both sets of
// rules. ORRERY_SCALE_SEED and ORRERY_SCALE_CASES run others than the usual ones.
#include <gtest/gtest.h>

#include "random_case.h"
#include "run_modes.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

/// The modes of a case: `seed` goes through all pairs.
std::pair<Mode, Mode> pair_of(std::uint64_t seed) {
  const std::uint64_t number = seed % (kModes * kModes);
  return {static_cast<Mode>(number / kModes), static_cast<Mode>(number % kModes)};
}

const std::vector<Way>& ways_of(platform::Rules rules) {
  static const std::vector<Way> astra = {{true, false, false, 1}, {true, true, true, 8}};
  return rules == platform::Rules::astra ? astra : all_ways();
}

// Quick: each pair once.
Tally run(platform::Rules rules, std::uint64_t full) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", full, kModes * kModes);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    const auto [one, other] = pair_of(seed);
    drawn.platform.rules = rules;
    put_upon(one, draw, drawn);
    if (other != one) put_upon(other, draw, drawn);
    EXPECT_EQ(compare(drawn.workload, drawn.platform, ways_of(rules), tally, drawn.network), "")
        << "seed " << seed << ": " << name(one) << " and " << name(other);
  }
  return tally;
}

TEST(Pairs, OfModesComeToTheSame) {
  const Tally tally = run(platform::Rules::orrery, 4 * kModes * kModes);
  print("pairs", tally);
  if (tally.cases < 300) return;
  EXPECT_LT(tally.stalled, tally.cases / 20);
  EXPECT_GT(tally.folded, tally.cases / 5);
  EXPECT_GT(tally.worked_out, tally.cases / 6);
}

TEST(Pairs, OfModesComeToTheSameUnderAstraRules) {
  const Tally tally = run(platform::Rules::astra, 2 * kModes * kModes);
  print("pairs, ASTRA rules", tally);
  if (tally.cases < 300) return;
  EXPECT_GT(tally.folded, tally.cases / 50);
}

// A network whose delays come from a table, or one whose rates change, and any mode.
TEST(Pairs, OfNetworksAndModesComeToTheSame) {
  for (const Mode network : {Mode::table, Mode::fluid, Mode::flow, Mode::fabric}) {
    const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
    const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 10 * kModes, kModes);
    Tally tally;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
      Case drawn = draw_case(seed);
      Draw draw(seed);
      const auto other = static_cast<Mode>(seed % kModes);
      drawn.platform.rules = platform::Rules::orrery;
      put_upon(network, draw, drawn);
      const bool chosen = other == Mode::table || other == Mode::fluid || other == Mode::links;
      if (!chosen) put_upon(other, draw, drawn);
      EXPECT_EQ(compare(drawn.workload, drawn.platform, all_ways(), tally, drawn.network), "")
          << "seed " << seed << ": " << name(network) << " and " << name(other);
    }
    print(name(network), tally);
    if (tally.cases < kModes) continue;
    EXPECT_GT(tally.folded, tally.cases / (network == Mode::fabric ? 8 : 5));
  }
}

}  // namespace
}  // namespace orrery::scale
