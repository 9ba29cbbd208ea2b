// SPDX-License-Identifier: Apache-2.0
//
// Run files of the golden cases are the same, byte for byte, whether one rank of each class was
// recorded or every rank, and whether repeated iterations were simulated or skipped; under both
// sets of rules. Files contain all spans and names, also those that they store once with their
// count.
#include <gtest/gtest.h>

#include <cstdio>

#include "golden_case.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/record/recorded_bytes_testing.h"

namespace orrery::golden {
namespace {

using record::testing::recorded_bytes;

// A recording of every message of a larger case would take longer than all others.
constexpr std::size_t kMostNodes = 100'000;

TEST(Golden, FoldedRecordingsAreTheSame) {
  std::size_t compared = 0, folded = 0;
  const auto cases = list_cases(std::string(core_testing::kBuildFolder) + "/tests/golden/cases");
  const std::size_t step = core_testing::case_count(1u, 8u);
  for (std::size_t i = 0; i < cases.size(); i += step) {
    auto inputs = read_inputs(cases[i]);
    if (!inputs) continue;
    std::size_t nodes = 0;
    for (std::uint32_t r = 0; r < inputs->workload.rank_count(); ++r)
      nodes += inputs->workload.graph(r).size();
    if (nodes > kMostNodes) continue;
    for (const platform::Rules rules : {platform::Rules::astra, platform::Rules::orrery}) {
      inputs->platform.rules = rules;
      const auto one = recorded_bytes(inputs->workload, inputs->platform, true, true, true);
      const auto all = recorded_bytes(inputs->workload, inputs->platform, false, false);
      EXPECT_TRUE(one.bytes == all.bytes)
          << cases[i].name << (rules == platform::Rules::astra ? ", astra" : ", orrery");
      if (all.bytes.empty()) continue;
      ++compared;
      if (one.representatives < inputs->workload.rank_count()) ++folded;
    }
  }
  std::printf("%zu recordings compared, %zu folded\n", compared, folded);
  EXPECT_GE(folded, 500 / step);
}

}  // namespace
}  // namespace orrery::golden
