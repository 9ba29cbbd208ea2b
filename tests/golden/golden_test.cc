// SPDX-License-Identifier: Apache-2.0
//
// Every golden case, to the cycle. A case the reference gets wrong is listed in data/defects.txt
// with what we do instead; a case listed there that matches after all, or does something else,
// fails too.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "golden_case.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery::golden {
namespace {

/// "<case> <ours: answers | refuses N | stalls | differs> <why>" per line; '#' begins a comment.
struct Defect {
  std::string ours;
  std::string why;
};

std::map<std::string, Defect> read_defects() {
  std::map<std::string, Defect> defects;
  std::ifstream file(std::string(core_testing::kSourceFolder) + "/tests/golden/data/defects.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    Defect defect;
    words >> name >> defect.ours;
    std::getline(words >> std::ws, defect.why);
    defects[name] = defect;
  }
  return defects;
}

std::string what_we_did(const Answer& answer) {
  if (answer.finish.empty()) return "refuses";
  return answer.exit_code == 4 ? "stalls" : "answers";
}

TEST(Golden, EveryCaseMatchesOrIsAListedDefect) {
  const auto defects = read_defects();
  const auto cases = list_cases(std::string(core_testing::kBuildFolder) + "/tests/golden/cases");
  ASSERT_EQ(cases.size(), 979u);
  std::size_t matched = 0;
  std::size_t listed = 0;
  for (const Case& golden : cases) {
    const Answer answer = run_case(golden);
    const std::string different = difference(golden.expected, answer);
    const auto defect = defects.find(golden.name);
    if (defect == defects.end()) {
      EXPECT_EQ(different, "") << golden.name;
      matched += different.empty() ? 1 : 0;
      continue;
    }
    ++listed;
    EXPECT_NE(different, "") << golden.name << " is listed as a defect but matches";
    EXPECT_EQ(what_we_did(answer), defect->second.ours) << golden.name << ": " << different;
  }
  EXPECT_EQ(listed, defects.size()) << "a listed case does not exist";
  RecordProperty("matched", static_cast<int>(matched));
  std::printf("%zu cases match to the cycle, %zu are listed as reference defects\n", matched,
              listed);
}

// Cases of which only the finish is known, in cycles.
TEST(Golden, FurtherCasesFinishAtTheSameCycle) {
  const std::map<std::string, std::int64_t> finish = {
      {"bus_gap_float", 10'626},   // the bus stores G in single precision
      {"replay_metadata", 3'001},  // a metadata node lasts a cycle in a replay
      {"rdv_5GB", 93'133'409}      // listed in docs/astra-sim.md
  };
  const auto cases =
      list_cases(std::string(core_testing::kSourceFolder) + "/tests/golden/data/finish");
  ASSERT_EQ(cases.size(), finish.size());
  for (const Case& golden : cases) {
    for (const bool fold : {false, true}) {
      const Answer answer = run_case(golden, fold);
      ASSERT_EQ(answer.finish.size(), 2u) << golden.name << answer.message;
      EXPECT_EQ(std::max(answer.finish[0], answer.finish[1]), finish.at(golden.name))
          << golden.name;
    }
  }
}

// One rank simulated for all that are alike gives every rank the same times.
TEST(Golden, FoldedCasesAreTheSame) {
  std::size_t folded = 0;
  std::map<std::string, std::size_t> reasons;
  const auto cases = list_cases(std::string(core_testing::kBuildFolder) + "/tests/golden/cases");
  const std::size_t step = core_testing::case_count(1u, 4u);
  for (std::size_t i = 0; i < cases.size(); i += step) {
    const Case& golden = cases[i];
    const Answer whole = run_case(golden);
    const Answer answer = run_case(golden, true);
    EXPECT_EQ(whole.exit_code, answer.exit_code) << golden.name;
    EXPECT_EQ(whole.message, answer.message) << golden.name;
    if (whole.finish.empty() && answer.finish.empty()) continue;
    EXPECT_EQ(difference(whole, answer), "") << golden.name;
    if (answer.representatives < answer.finish.size()) ++folded;
    ++reasons[answer.unfolded_reason];
  }
  for (const auto& [reason, count] : reasons)
    std::printf("%zu cases: %s\n", count, reason.empty() ? "folded" : reason.c_str());
  EXPECT_GE(folded, 300 / step);
}

}  // namespace
}  // namespace orrery::golden
