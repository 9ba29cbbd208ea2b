// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/json_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::trace::json {
namespace {

TEST(Lists, HaveElements) {
  EXPECT_THAT(elements_of(R"( [1, "a,]", [2, {"b": 3}] , ] )", 9),
              ::testing::ElementsAre("1", R"("a,]")", R"([2, {"b": 3}])"));
  EXPECT_THAT(elements_of("[1, 2, 3]", 2), ::testing::ElementsAre("1", "2"));
  EXPECT_THAT(elements_of("[1, 2", 9), ::testing::ElementsAre("1"));
  EXPECT_TRUE(elements_of("{}", 9).empty());
}

TEST(Lists, AreCutBetweenElements) {
  EXPECT_EQ(cut_list("[10, [20, 30], 40]", 14), "[10, [20, 30]]");
  EXPECT_EQ(cut_list("[10, [20, 30], 40]", 13), "[10]");
  EXPECT_EQ(cut_list("[10]", 2), "[]");
}

TEST(Lists, AreMadeCompact) {
  EXPECT_FALSE(has_spaces(R"(["a b",1])"));
  EXPECT_TRUE(has_spaces(R"(["a b", 1])"));
  std::string out;
  append_compact(out, "[ \"a b\\\"\" ,\n 1 ]");
  EXPECT_EQ(out, R"(["a b\"",1])");
}

}  // namespace
}  // namespace orrery::trace::json
