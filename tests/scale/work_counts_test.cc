// SPDX-License-Identifier: Apache-2.0
//
// The work that is counted before a simulation is the work that it reports, in every mode of random
// cases.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "random_case.h"
#include "run_modes.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

struct Counted {
  std::uint64_t runs = 0, exact = 0, folded = 0, by_messages = 0, by_forms = 0;
};

void compare_counts(const Case& drawn, const sim::Options& options, Counted& counted,
                    const std::string& about) {
  const auto done = sim::simulate(drawn.workload, drawn.platform, options);
  if (!done || done->stall) return;
  const sim::SimulationWork& work = done->estimate.work;
  ++counted.runs;
  EXPECT_EQ(work.ranks, done->savings.representatives) << about;
  EXPECT_LE(work.messages, work.represented.messages) << about;
  if (!work.is_exact) return;
  ++counted.exact;
  counted.folded += work.ranks < drawn.workload.rank_count() ? 1 : 0;
  counted.by_messages += work.messages > 0 ? 1 : 0;
  counted.by_forms += work.phases_by_closed_form > 0 ? 1 : 0;
  EXPECT_EQ(work.represented.messages, done->messages) << about;
  EXPECT_EQ(work.represented.phases_by_messages, done->savings.phases_by_messages) << about;
  EXPECT_EQ(work.represented.phases_by_closed_form, done->savings.phases_by_closed_form) << about;
}

Counted count(platform::Rules rules, std::uint64_t full) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", full, kModes * 12);
  Counted counted;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    drawn.platform.rules = rules;
    const auto mode = static_cast<Mode>(seed % kModes);
    put_upon(mode, draw, drawn);
    for (const bool saves : {false, true}) {
      sim::Options options;
      options.fold = options.closed_forms = options.skip_repeats = saves;
      options.record = seed % 3 == 0;
      options.network = drawn.network;
      compare_counts(drawn, options, counted,
                     "seed " + std::to_string(seed) + ", " + std::string(name(mode)) +
                         (saves ? ", folded" : ", unfolded"));
    }
  }
  return counted;
}

TEST(WorkCounts, AreThoseOfTheResult) {
  const Counted counted = count(platform::Rules::orrery, 60 * kModes);
  if (counted.runs < 300) return;
  EXPECT_GT(counted.exact, counted.runs / 3);
  EXPECT_GT(counted.folded, counted.runs / 16);
  EXPECT_GT(counted.by_messages, counted.runs / 4);
  EXPECT_GT(counted.by_forms, counted.runs / 20);
}

TEST(WorkCounts, AreThoseOfTheResultUnderAstraRules) {
  const Counted counted = count(platform::Rules::astra, 30 * kModes);
  if (counted.runs < 100) return;
  EXPECT_GT(counted.exact, counted.runs / 3);
  EXPECT_GT(counted.by_messages, counted.runs / 4);
}

}  // namespace
}  // namespace orrery::scale
