// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/text_lines.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(TextLines, EndAtNewlines) {
  using Lines = std::vector<std::string_view>;
  EXPECT_EQ(text_lines(""), Lines{});
  EXPECT_EQ(text_lines("a"), Lines{"a"});
  EXPECT_EQ(text_lines("a\n"), Lines{"a"});
  EXPECT_EQ(text_lines("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(text_lines("\n"), Lines{""});
}

}  // namespace
}  // namespace orrery
