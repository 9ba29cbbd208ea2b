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

using platform::NetworkModelKind;
using platform::Rules;
using record::testing::recorded_bytes;

// A recording of every message of a larger case would take longer than all others.
constexpr std::size_t kMostNodes = 100'000;

struct Counts {
  std::size_t compared = 0, folded = 0;
};

void compare(const CaseInputs& inputs, const std::string& about, Counts& counts) {
  const auto one = recorded_bytes(inputs.workload, inputs.platform, true, true, true);
  const auto all = recorded_bytes(inputs.workload, inputs.platform, false, false);
  EXPECT_TRUE(one.bytes == all.bytes) << about;
  if (all.bytes.empty()) return;
  ++counts.compared;
  if (one.representatives < inputs.workload.rank_count()) ++counts.folded;
}

// Calls `visit` with every `step`-th case and its name.
template <class Visit>
void each_case(std::size_t step, Visit visit) {
  const auto cases = list_cases(std::string(core_testing::kBuildFolder) + "/tests/golden/cases");
  for (std::size_t i = 0; i < cases.size(); i += step) {
    auto inputs = read_inputs(cases[i]);
    if (!inputs) continue;
    std::size_t nodes = 0;
    for (std::uint32_t r = 0; r < inputs->workload.rank_count(); ++r)
      nodes += inputs->workload.graph(r).size();
    if (nodes <= kMostNodes) visit(*inputs, cases[i].name);
  }
}

TEST(Golden, FoldedRecordingsAreTheSame) {
  Counts counts;
  const std::size_t step = core_testing::case_count(1u, 8u);
  each_case(step, [&](CaseInputs& inputs, const std::string& name) {
    inputs.platform.rules = Rules::astra;
    compare(inputs, name + ", astra", counts);
    inputs.platform.rules = Rules::orrery;
    compare(inputs, name + ", orrery", counts);
  });
  std::printf("%zu recordings compared, %zu folded\n", counts.compared, counts.folded);
  EXPECT_GE(counts.folded, 500 / step);
}

TEST(Golden, FoldedRecordingsOfSharedLinksAreTheSame) {
  Counts counts;
  const std::size_t step = core_testing::case_count(1u, 16u);
  each_case(step, [&](CaseInputs& inputs, const std::string& name) {
    inputs.platform.network = NetworkModelKind::message;
    inputs.platform.rules = Rules::astra;
    compare(inputs, name + ", message, astra", counts);
    inputs.platform.rules = Rules::orrery;
    compare(inputs, name + ", message, orrery", counts);
    inputs.platform.network = NetworkModelKind::flow;
    compare(inputs, name + ", flow", counts);
  });
  std::printf("%zu recordings of shared links compared, %zu folded\n", counts.compared,
              counts.folded);
  EXPECT_GE(counts.folded, 500 / step);
}

}  // namespace
}  // namespace orrery::golden
