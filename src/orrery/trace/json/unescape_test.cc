// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/unescape.h"

#include <gtest/gtest.h>

namespace orrery::trace::json {
namespace {

TEST(Unescape, KnowsJsonsEscapes) {
  std::string out = "of before";
  unescape(R"(a\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00)", out);
  EXPECT_EQ(out, "a\"\\/\b\f\n\r\tAé€😀");
}

TEST(Unescape, LeavesWhatIsNoneVisible) {
  std::string out;
  unescape(R"(\q\u12\)", out);
  EXPECT_EQ(out, R"(\q\u12\)");
  unescape(R"(\ud83d!\ude00)", out);
  EXPECT_EQ(out, "\xEF\xBF\xBD!\xEF\xBF\xBD");
}

}  // namespace
}  // namespace orrery::trace::json
