// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/expression.h"

#include <gtest/gtest.h>

#include "orrery/explore/space/template.h"

namespace orrery::explore {
namespace {

const Json kNames{{"n", 64},        {"tp", 8},     {"half", 0.5},
                  {"word", "b200"}, {"yes", true}, {"gpu", {{"name", "h100"}, {"price", 2.5}}}};

const Json* look(std::string_view name) {
  const auto found = kNames.find(name);
  return found == kNames.end() ? nullptr : &*found;
}

Result<Json> value(std::string_view text) {
  const auto read = Expression::parse(text, "x.yaml:/a");
  if (!read) return tl::unexpected(read.error());
  return read->value(look);
}

TEST(Expression, KnowsWhatBindsFirst) {
  const std::pair<const char*, Json> cases[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"2 ^ 3 ^ 2", 512},
      {"-2 ^ 2", -4},
      {"2 ^ -1", 0.5},
      {"10 - 4 - 3", 3},
      {"64 / 8 / 2", 4},
      {"7 % 4 + -7 % 4", 4},
      {"1 < 2 and 2 < 1 or true", true},
      {"not 1 < 2", false},
      {"not not yes", true},
      {"n / (tp * half)", 16},
      {"n == 64.0", true},
      {"word == 'b200' and gpu.name != \"b200\"", true},
      {"gpu.price * 2", 5},
      {"gpu", kNames["gpu"]},
      {"min(3, n, 2) + max(1, 2)", 4},
      {"if(n > 32, 'many', 'few')", "many"},
      {"round(2.5) + floor(-0.5) + ceil(0.5) + abs(-1) + sqrt(16) + log2(8)", 11},
      {"80 GB", 80'000'000'000},
      {"1.5 KiB", 1536},
      {"0.5kW == 500 W", true},
      {"2 ms < 1 s", true},
      {"1e3", 1000},
  };
  for (const auto& [text, wanted] : cases) {
    const auto got = value(text);
    ASSERT_TRUE(got) << text << ": " << to_string(got.error());
    EXPECT_EQ(*got, wanted) << text;
  }
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "incomplete"},
      {"1 +", "incomplete"},
      {"(1", "a ) is missing"},
      {"1 2", "column 3"},
      {"3 GiBi", "\"GiBi\" is not a unit"},
      {"mim(1)", "did you mean \"min\"?"},
      {"if(true, 1)", "takes 3 values"},
      {"'open", "quotation mark"},
      {"n $ 2", "column 3"},
      {"and", "is not valid here"},
      {"nobody + 1", "there is no \"nobody\""},
      {"gpu.cost", "there is no \"gpu.cost\""},
      {"word.name", "there is no \"word.name\""},
      {"n / 0", "not a finite number"},
      {"word + 1", "\"b200\" is not a number"},
      {"1 and true", "\"1\" is neither true nor false"},
      {"sqrt(0 - 1)", "not a finite number"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto got = value(text);
    ASSERT_FALSE(got) << text;
    EXPECT_NE(to_string(got.error()).find(wanted), std::string::npos) << to_string(got.error());
    EXPECT_NE(got.error().where.find("x.yaml:/a"), std::string::npos);
  }
  const std::string deep(200, '(');
  EXPECT_FALSE(Expression::parse(deep, "x"));
  EXPECT_EQ(Expression::parse(std::string(5000, '1'), "x").error().code, Errc::limit_exceeded);
  std::string towers = "2";
  for (int i = 0; i < 200; ++i) towers += "^2";
  EXPECT_FALSE(Expression::parse(towers, "x"));
}

TEST(Expression, NamesAreToldWithoutTheirParts) {
  const auto read = Expression::parse("gpu.price * n + gpu.name * tp", "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->names(), (std::vector<std::string>{"gpu", "n", "tp"}));
  EXPECT_FALSE(may_be_name("min") || may_be_name("and") || may_be_name("2n") || may_be_name(""));
  EXPECT_TRUE(may_be_name("_n2"));
}

TEST(Template, PutsValuesInForNames) {
  const Json document{{"whole", "=n / tp"},
                      {"text", "{gpu.name}:{n * 2}, {{not}} {half}"},
                      {"list", {1, "=gpu", "plain"}},
                      {"true", "=n > 1"}};
  const auto made = Template::compile(document, "x.yaml:/job");
  ASSERT_TRUE(made);
  const auto value = made->value(look);
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, (Json{{"whole", 8},
                          {"text", "h100:128, {not} 0.5"},
                          {"list", {1, kNames["gpu"], "plain"}},
                          {"true", true}}));
  EXPECT_EQ(*Template::compile("{n}", "x")->value(look), "64");
  for (const char* wrong : {"{n", "n}", "=n +", "{n +}"})
    EXPECT_EQ(Template::compile(Json{{"a", wrong}}, "x").error().code, Errc::config_syntax)
        << wrong;
  EXPECT_EQ(Template::compile(Json{{"a", {"=n +"}}}, "x.yaml:").error().where, "x.yaml:/a/0");
}

}  // namespace
}  // namespace orrery::explore
