// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/built_in_list.h"

#include <gtest/gtest.h>

namespace orrery::config {
namespace {

struct Tool {
  std::string name;
  std::int64_t size = 1;
  static constexpr auto fields = std::tuple{field("name", &Tool::name, "its name").required(),
                                            field("size", &Tool::size, "how large", at_least(1))};
};

constexpr std::string_view kTools =
    "# Tools\n- name: saw\n  size: 3\n\n# the larger ones\n- name: lathe\n  size: 40\n- name: file";

TEST(BuiltIn, EntriesAreSplitByTheirFirstLines) {
  const std::vector<EntryText> texts = split_entries(kTools);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0].name, "saw");
  EXPECT_EQ(texts[0].text, "- name: saw\n  size: 3\n\n# the larger ones\n");
  EXPECT_EQ(texts[1].text, "- name: lathe\n  size: 40\n");
  EXPECT_EQ(texts[2].text, "- name: file");
  EXPECT_TRUE(split_entries("").empty());
  EXPECT_TRUE(split_entries("# nothing\n").empty());
}

TEST(BuiltIn, EntriesAreFoundByNameAndKeepTheirPlace) {
  BuiltInList<Tool> tools(split_entries(kTools));
  const Tool* const lathe = tools.find("lathe");
  ASSERT_NE(lathe, nullptr);
  EXPECT_EQ(lathe->size, 40);
  EXPECT_EQ(tools.find("lath"), nullptr);
  ASSERT_EQ(tools.all().size(), 3u);
  EXPECT_EQ(&tools.all()[1], lathe);
  EXPECT_EQ(tools.all()[2].size, 1);
}

TEST(BuiltIn, AreCheckedOnRequest) {
  EXPECT_TRUE(BuiltInList<Tool>(split_entries(kTools)).check());
  const auto bad =
      BuiltInList<Tool>(split_entries("- name: saw\n- name: file\n  size: -1")).check();
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().where.find("file:/0/size"), std::string::npos) << bad.error().where;
}

TEST(BuiltIn, WhatIsWrongWithAnEntryIsSaid) {
  const auto wrong = [](std::string_view text) {
    const Result<Tool> tool = read_entry<Tool>({"saw", text});
    return tool ? "" : to_string(tool.error());
  };
  EXPECT_EQ(wrong("- name: saw"), "");
  EXPECT_NE(wrong("- name: saw\n  size: 0").find("/0/size"), std::string::npos);
  EXPECT_NE(wrong("- name: saw\n  sise: 1").find("sise"), std::string::npos);
  EXPECT_NE(wrong("- size: 1").find("name"), std::string::npos);
  EXPECT_NE(wrong("- name: saw\n- name: two"), "");
  EXPECT_NE(wrong("- name: [saw"), "");
}

}  // namespace
}  // namespace orrery::config
