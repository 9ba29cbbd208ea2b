// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/rank_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery {
namespace {

std::string words(const std::vector<std::uint32_t>& ranks) { return format_ranks(ranks); }

TEST(RankWords, NameAFewRanksAndTheEndsOfMany) {
  EXPECT_EQ(words({}), "no ranks");
  EXPECT_EQ(words({3}), "rank 3");
  EXPECT_EQ(words({2, 3}), "ranks 2-3");
  EXPECT_EQ(words({6, 0, 4, 2}), "ranks 0, 2, 4, 6");
  EXPECT_EQ(words({0, 1, 8, 9, 16, 17, 24, 25}), "ranks 0-1, 8-9, 16-17, 24-25");
  EXPECT_EQ(words({0, 8, 16, 24, 32}), "ranks 0, 8 … 32");
  EXPECT_EQ(words({5, 5, 6}), "ranks 5-6");
  EXPECT_EQ(words({0xffffffffu, 0}), "ranks 0, 4294967295");
}

}  // namespace
}  // namespace orrery
