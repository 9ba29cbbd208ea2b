// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::trace::chakra {
namespace {

using ::testing::ElementsAre;

TEST(Groups, KeepNamesAndTheOrderInTheList) {
  const auto groups = parse_groups(R"({"2": [3, 1, 0], "tp0": [2]})", "groups.json");
  ASSERT_TRUE(groups.has_value()) << to_string(groups.error());
  EXPECT_THAT(groups->at("2").ranks, ElementsAre(3, 1, 0));
  EXPECT_THAT(groups->at("tp0").ranks, ElementsAre(2));
  EXPECT_EQ(groups->at("tp0").name, "tp0");
}

TEST(Groups, ThatAreDamagedAreRefusedWithTheirPlace) {
  struct Bad {
    const char* text;
    Errc code;
    const char* where;
  };
  for (const Bad& bad : std::initializer_list<Bad>{
           {"{", Errc::input_group, "g.json"},
           {"[1, 2]", Errc::input_group, "g.json"},
           {R"({"1": "0,1"})", Errc::input_group, "g.json:/1"},
           {R"({"1": []})", Errc::input_group, "g.json:/1"},
           {R"({"a/b~c": [-1]})", Errc::input_range, "g.json:/a~1b~0c/0"},
           {R"({"1": [0, -1]})", Errc::input_range, "g.json:/1/1"},
           {R"({"1": [0.5]})", Errc::input_group, "g.json:/1/0"},
           {R"({"1": [16777216]})", Errc::input_range, "g.json:/1/0"},
           {R"({"1": [99999999999999999999]})", Errc::input_group, "g.json:/1/0"}}) {
    const auto groups = parse_groups(bad.text, "g.json");
    ASSERT_FALSE(groups.has_value()) << bad.text;
    EXPECT_EQ(groups.error().code, bad.code) << bad.text;
    EXPECT_EQ(groups.error().where, bad.where) << bad.text;
  }
  EXPECT_EQ(read_groups("/no/such/groups.json").error().where, "/no/such/groups.json");
}

TEST(Groups, HaveRanksThatThereAreOnceEach) {
  auto twice = parse_groups(R"({"1": [3, 3]})", "g.json");
  auto beyond = parse_groups(R"({"1": [3, 4]})", "g.json");
  for (auto* groups : {&twice, &beyond}) {
    Findings findings;
    EXPECT_EQ(check_groups(**groups, 4, "g.json", graph::Repair::refuse, findings).error().code,
              Errc::input_group);
    EXPECT_TRUE(check_groups(**groups, 4, "g.json", graph::Repair::repair, findings));
    EXPECT_THAT((*groups)->at("1").ranks, ElementsAre(3));
    EXPECT_EQ(findings.count(FindingCode::value_clamped), 1u);
  }
}

}  // namespace
}  // namespace orrery::trace::chakra
