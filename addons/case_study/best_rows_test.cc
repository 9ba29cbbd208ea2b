// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/best_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "addons/case_study/case_study_testing.h"
#include "addons/case_study/published_comparison.h"

namespace orrery::case_study {
namespace {

Result<CaseStudy> with(const std::string& more) {
  return parse_case_study(small_study(more), "small.yaml");
}

/// ring: 4 us with 3 GB and 3 us with 9 GB; switch: 2 us with 5 GB, and nothing known.
std::vector<RunResult> known() {
  std::vector<RunResult> made(4);
  constexpr double kTimes[] = {4e6, 3e6, 2e6, kNone}, kNeeded[] = {3e9, 9e9, 5e9, kNone};
  for (std::size_t i = 0; i < 4; ++i) {
    made[i].values[RunMetric::time] = kTimes[i];
    made[i].values[RunMetric::needed] = kNeeded[i];
    made[i].values[RunMetric::capacity] = 8e9;
  }
  return made;
}

TEST(BestAlong, IsTheLeastOfThoseThatFit) {
  const auto study = with("best: {axis: size, column: time, ratio: gain}\n");
  ASSERT_TRUE(study) << to_string(study.error());
  const CaseTable table = fill_case_table(*study, known());
  ASSERT_EQ(table.best.size(), 2u);
  EXPECT_EQ(table.best[0].at, std::vector<std::string>{"ring"});
  EXPECT_EQ(table.best[0].run, 0u) << "the quicker one needs 9 GB of 8";
  EXPECT_EQ(table.best[0].ratio, 1);
  EXPECT_EQ(table.best[1].run, 2u);
  EXPECT_EQ(table.best[1].ratio, 2);
}

TEST(BestAlong, MayBeAskedForOtherMemory) {
  const auto study =
      with("best: {axis: size, column: time, memory: [2 GB, 3 GB, 10 GB], ratio: gain}\n");
  ASSERT_TRUE(study) << to_string(study.error());
  const CaseTable table = fill_case_table(*study, known());
  ASSERT_EQ(table.best.size(), 6u);
  EXPECT_FALSE(table.best[0].run) << "nothing fits";
  EXPECT_TRUE(std::isnan(table.best[1].ratio)) << "the first row has none";
  EXPECT_EQ(table.best[1].run, 0u);
  EXPECT_EQ(table.best[2].run, 1u);
  EXPECT_EQ(table.best[2].memory, "10 GB");
  EXPECT_FALSE(table.best[4].run);
  EXPECT_EQ(table.best[5].run, 2u);
}

TEST(BestAlong, StandsBesidePublishedFigures) {
  const auto study = with(
      "best: {axis: size, column: time, ratio: gain}\npublished:\n  - {what: w, mark: notes, "
      "source: s, column: gain, of: most, value: '1.6'}\n");
  ASSERT_TRUE(study) << to_string(study.error());
  const CaseTable table = fill_case_table(*study, known());
  ASSERT_EQ(table.comparisons.size(), 1u);
  EXPECT_EQ(table.comparisons[0].predicted, 2);
  EXPECT_EQ(table.comparisons[0].unit, Unit::ratio);
  EXPECT_EQ(table.comparisons[0].run, "block: switch, size: small");
}

TEST(BestAlong, MistakesAreToldWithTheirPlace) {
  const auto error = [](const std::string& best) {
    const auto read = with("best: " + best + "\n");
    return read ? std::string() : to_string(read.error());
  };
  EXPECT_EQ(error("{axis: sise, column: time}"),
            "small.yaml:/best/axis: unknown axis \"sise\" (E1006)");
  EXPECT_EQ(error("{axis: size, column: tyme}"),
            "small.yaml:/best/column: unknown column \"tyme\" (E1006)\n"
            "  hint: did you mean \"time\"?");
  EXPECT_EQ(error("{axis: size, column: time, ratio: times}"),
            "small.yaml:/best/ratio: a column already has the title \"times\" (E1006)");
  EXPECT_EQ(error("{axis: size, column: time, memory: [80]}").substr(0, 25),
            "small.yaml:/best/memory/0");
  EXPECT_EQ(error("{column: time}").substr(0, 21), "small.yaml:/best/axis");
}

}  // namespace
}  // namespace orrery::case_study
