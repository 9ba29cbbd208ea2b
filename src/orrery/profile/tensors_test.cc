// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/tensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace orrery::profile {
namespace {

using Seen = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::string, std::size_t>;

std::vector<Seen> all(std::string_view values, std::string_view types = {}) {
  std::vector<Seen> seen;
  Tensors tensors(values, types);
  for (Tensor t; tensors.next(t);)
    seen.emplace_back(t.id, t.elements, t.width, t.device, tensors.argument());
  return seen;
}

TEST(Tensors, AloneInListsAndAmongOtherValues) {
  EXPECT_EQ(all(R"([[5,6,0,112,4,"cuda:0"],[48],[1],0])"),
            (std::vector<Seen>{{5, 112, 4, "cuda:0", 0}}));
  EXPECT_EQ(all(R"([[[[19,20,0,1,4,"cpu"],[5,23,0,1,4,"cpu"]]],[[14,15,0,2,8,"cpu"]],"<Object>"])"),
            (std::vector<Seen>{{19, 1, 4, "cpu", 0}, {5, 1, 4, "cpu", 0}, {14, 2, 8, "cpu", 1}}));
  EXPECT_EQ(all("[ \"a\\\"[1,2,3,4,5\", [ 5 , 6, 0, 1, 4, \"cpu\" ] ]"),
            (std::vector<Seen>{{5, 1, 4, "cpu", 1}}));
  EXPECT_TRUE(all("[]").empty());
  EXPECT_TRUE(all("").empty());
}

TEST(Tensors, WithoutDeviceOnlyWhereTheTypeSaysSo) {
  EXPECT_TRUE(all("[[1,2,3,4,5],[1,2,0,3,4]]").empty());
  const char* const types = "[\"GenericList[Int,Int]\",\"Tensor(float)\"]";
  EXPECT_EQ(all("[[1,2,3,4,5],[1,2,0,3,4]]", types), (std::vector<Seen>{{1, 3, 4, "", 1}}));
}

TEST(Tensors, BrokenTextsHaveNone) {
  for (const char* text :
       {"[[5,6,0,112,4,\"cuda:0\"", "[[5,6,0,112,4,\"cuda:0", "[[5,6,0,112,4,", "[[5,6", "[[",
        "[[5,6,0,112,99999999999999999999,\"cpu\"]]", "[[5,6,0,-1,4,\"cpu\"]]", "]]]],[\"", "\\\""})
    EXPECT_TRUE(all(text).empty()) << text;
}

RC_GTEST_PROP(Tensors, AnyTextEnds, (const std::string& text)) { (void)all(text, text); }

}  // namespace
}  // namespace orrery::profile
