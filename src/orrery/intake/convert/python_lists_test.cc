// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/python_lists.h"

#include <gtest/gtest.h>

namespace orrery::intake {
namespace {

std::string python(std::string_view json) {
  std::string out;
  append_python(out, json);
  return out;
}

TEST(Python, ListsAsPythonPrintsThem) {
  EXPECT_EQ(python(R"([[1,5,0,8,4,"cuda:0"],true,null,1e-05,false])"),
            "[[1, 5, 0, 8, 4, 'cuda:0'], True, None, 1e-05, False]");
  EXPECT_EQ(python("[[], [\n 2,3 ]]"), "[[], [2, 3]]");
  EXPECT_EQ(python(R"(["it's","say \"so\"","both ' and \"","tab\t\u0001\\"])"),
            R"(["it's", 'say "so"', 'both \' and "', 'tab\t\x01\\'])");
  EXPECT_EQ(python(R"(["\u00e9\ud83d\ude00\ud800\/"])"), "['é😀\xEF\xBF\xBD/']");
  EXPECT_EQ(python(""), "");
}

TEST(Python, SurvivesWhatIsNoJson) {
  EXPECT_EQ(python("[\"open"), "['open'");
  EXPECT_EQ(python("[\"open\\"), "['open\\\\'");
  EXPECT_EQ(python("[\"\\u12\"]"), "['\\\\u12']");
  EXPECT_EQ(python("nan]"), "nan]");
}

TEST(Python, InternedTextsOnce) {
  StringPool strings;
  PythonTexts texts(strings);
  const StringId id = strings.intern(R"(["float",""])");
  EXPECT_EQ(texts.of(id), "['float', '']");
  EXPECT_EQ(&texts.of(id), &texts.of(id));
  EXPECT_EQ(texts.of(StringId::empty), "");
}

TEST(TensorBytes, OfNodes) {
  EXPECT_EQ(bytes_of_values(R"([[1,5,0,8,4,"cuda:0"]])", {}), 32);
  EXPECT_EQ(bytes_of_values(R"([[[1,5,0,8,4,"cuda:0"],[2,5,0,2,8,"cpu"]],7,"wait",[]])", {}), 48);
  EXPECT_EQ(bytes_of_values(R"([7,"wait",[],[]])", {}), -1);
  EXPECT_EQ(bytes_of_values(R"([[1,5,0,9223372036854775807,4,"cuda:0"]])", {}), -1);
  EXPECT_EQ(bytes_of_values(R"([[1,5,0,-8,4,"cuda:0"]])", {}), -1);
  EXPECT_EQ(bytes_of_values("no json", {}), -1);
}

TEST(TensorBytes, OfDeviceTraces) {
  EXPECT_EQ(bytes_of_dims("[[394241]]", R"(["float"])"), 394241 * 4);
  EXPECT_EQ(bytes_of_dims("[[2,3],[],[5]]", R"(["long int","Scalar","c10::BFloat16"])"), 58);
  EXPECT_EQ(bytes_of_dims("[[]]", R"(["float"])"), 4) << "no dimensions: one element";
  EXPECT_EQ(bytes_of_dims("[[],[]]", R"(["TensorList",""])"), -1);
  EXPECT_EQ(bytes_of_dims("[[[2],[3]]]", R"(["float"])"), 20);
  EXPECT_EQ(bytes_of_dims("[[],[]]", R"(["",""])"), -1);
  EXPECT_EQ(bytes_of_dims("[[2]]", R"(["float","float"])"), -1);
  EXPECT_EQ(bytes_of_dims("[[2,\"x\"]]", R"(["float"])"), -1);
}

TEST(NumberList, OnlyWholeLists) {
  EXPECT_EQ(number_list("[1, 2, 3]"), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_TRUE(number_list("[1, 2, ..., 9]").empty());
  EXPECT_TRUE(number_list("[1, 2.5]").empty());
  EXPECT_TRUE(number_list("").empty());
}

}  // namespace
}  // namespace orrery::intake
