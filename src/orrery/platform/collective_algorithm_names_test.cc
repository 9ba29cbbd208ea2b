// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/collective_algorithm_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace orrery::platform {
namespace {

TEST(CollectiveAlgorithms, RowsAreInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(kAlgorithms[i].algorithm), i);
}

TEST(CollectiveAlgorithms, NamesAreUniqueAndReadBack) {
  std::set<std::string> names;
  for (const AlgorithmName& one : algorithm_names()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(write_algorithm(one.spec), one.name);
  }
}

TEST(CollectiveAlgorithms, OnlyDirectHasAWindow) {
  EXPECT_THAT(window_names(), testing::ElementsAre("direct", "one_direct"));
  EXPECT_THAT(window_names(true), testing::ElementsAre("direct", "oneDirect"));
  EXPECT_EQ(write_algorithm({Algorithm::direct, 4, true}), "one_direct:4");
}

TEST(CollectiveAlgorithms, CanRunWhatTheirRowsSay) {
  const AlgorithmEntry& tree = entry(Algorithm::double_binary_tree);
  EXPECT_TRUE(can_run(tree, CollectiveType::all_reduce));
  EXPECT_FALSE(can_run(tree, CollectiveType::all_gather));
  const AlgorithmEntry& halving = entry(Algorithm::halving_doubling);
  EXPECT_TRUE(can_run(halving, CollectiveType::all_gather));
  EXPECT_FALSE(can_run(halving, CollectiveType::all_to_all));
}

}  // namespace
}  // namespace orrery::platform
