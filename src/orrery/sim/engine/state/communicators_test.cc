// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/communicators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using ::testing::ElementsAre;

// Names by precedence.
std::vector<std::string> in_order(
    const std::vector<std::pair<std::string, std::vector<std::uint32_t>>>& groups) {
  testing::Rank rank;
  rank.comp(us(1));
  graph::Workload workload = testing::replicated(rank, 8);
  for (const auto& [name, members] : groups) workload.groups[name] = {name, members};
  Communicators made;
  EXPECT_TRUE(made.make(workload, platform::Rules::orrery));
  std::vector<std::string> names(made.all().size());
  for (const Communicator& one : made.all()) names[one.precedence] = one.name;
  return names;
}

TEST(Communicators, SmallCloseAndLowOnesTakePrecedence) {
  EXPECT_THAT(in_order({{"all", {0, 1, 2, 3, 4, 5, 6, 7}},
                        {"far", {0, 4}},
                        {"four", {3, 2, 1, 0}},
                        {"high", {3, 2}},
                        {"low", {2, 1}},
                        {"same", {1, 2}}}),
              ElementsAre("low", "same", "high", "far", "four", "", "all"));
}

// Ten groups of two kinds: by name, "d10" and "t10" would come before "d2" and "t2".
TEST(Communicators, RanksThatStandAlikeHaveThemInTheSameOrder) {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
  for (const std::uint32_t i : {0u, 1u, 2u, 3u}) {
    groups.emplace_back(std::to_string(9 + i), std::vector<std::uint32_t>{2 * i, 2 * i + 1});
    groups.emplace_back(std::to_string(97 + i), std::vector<std::uint32_t>{i, i + 4});
  }
  EXPECT_THAT(in_order(groups), ElementsAre("9", "10", "11", "12", "97", "98", "99", "100", ""));
}

}  // namespace
}  // namespace orrery::sim
