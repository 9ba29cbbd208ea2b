// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/depth.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::trace::json {
namespace {

TEST(Depth, CountsWhatIsOpen) {
  EXPECT_FALSE(nests_deeper("[[1], {\"a\": 2}]", 2));
  EXPECT_TRUE(nests_deeper("[[1], {\"a\": [2]}]", 2));
  EXPECT_FALSE(nests_deeper("[\"[[[ \\\" [[[\"]", 1));
  EXPECT_TRUE(nests_deeper(std::string(100'000, '['), 64));
  EXPECT_FALSE(nests_deeper("", 0));
}

}  // namespace
}  // namespace orrery::trace::json
