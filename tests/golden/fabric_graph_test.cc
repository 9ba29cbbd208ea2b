// SPDX-License-Identifier: Apache-2.0
//
// The golden cases' workloads and systems under Orrery's rules, over their dimensions and over the
// graph of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "golden_case.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery::golden {
namespace {

using Kind = platform::NetworkModelKind;

constexpr std::uint64_t kMostMessages = 4'000;  // larger cases would take longer than all others

TEST(GoldenGraph, TakesWhatTheDimensionsTake) {
  std::size_t compared = 0, alone = 0, large = 0, refused = 0;
  const auto cases = list_cases(std::string(core_testing::kBuildFolder) + "/tests/golden/cases");
  const std::size_t step = core_testing::case_count(1u, 4u);
  for (std::size_t i = 0; i < cases.size(); i += step) {
    const Case& golden = cases[i];
    const OrreryTimes queued = run_with_orrery_rules(golden, Kind::message, false);
    if (queued.finish.empty() || queued.messages > kMostMessages) {
      ++(queued.finish.empty() ? refused : large);
      continue;
    }
    const OrreryTimes free = run_with_orrery_rules(golden, Kind::analytical, false);
    const OrreryTimes queued_graph = run_with_orrery_rules(golden, Kind::message, true);
    const OrreryTimes free_graph = run_with_orrery_rules(golden, Kind::analytical, true);
    ++compared;
    EXPECT_EQ(queued_graph.finish, queued.finish) << golden.name << queued_graph.refused;
    EXPECT_EQ(free_graph.finish, free.finish) << golden.name << free_graph.refused;
    if (queued.finish != free.finish) continue;
    ++alone;  // nobody waited for a link, and flows share none
    const OrreryTimes flowing = run_with_orrery_rules(golden, Kind::flow, true);
    EXPECT_EQ(flowing.finish, free.finish) << golden.name << flowing.refused;
  }
  std::printf(
      "%zu cases compared, in %zu nobody waits for a link; %zu are too large, %zu refused\n",
      compared, alone, large, refused);
  EXPECT_GE(compared, 400 / step);
  EXPECT_GE(alone, 100 / step);
}

}  // namespace
}  // namespace orrery::golden
