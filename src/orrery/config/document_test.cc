// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "orrery/config/json.h"
#include "orrery/core/text/text.h"

namespace orrery::config {
namespace {

TEST(Document, YamlScalarsFollowTheCoreSchema) {
  const Result<Json> tree = parse_yaml(R"(
whole: 42
negative: -7
plus: +7
hex: 0x1F
octal: 0o17
zeros: 010
real: 5.0e1
point: .5
yes: yes
truth: true
nothing: ~
empty:
quoted: "42"
tagged: !!str 42
infinity: .inf
huge: 1e400
big: 18446744073709551615
date: 2024-01-01
)",
                                       "t.yaml");
  ASSERT_TRUE(tree) << to_string(tree.error());
  EXPECT_EQ((*tree)["whole"], 42);
  EXPECT_EQ((*tree)["negative"], -7);
  EXPECT_EQ((*tree)["plus"], 7);
  EXPECT_EQ((*tree)["hex"], 31);
  EXPECT_EQ((*tree)["octal"], 15);
  EXPECT_EQ((*tree)["zeros"], 10);
  EXPECT_EQ((*tree)["real"], 50.0);
  EXPECT_EQ((*tree)["point"], 0.5);
  EXPECT_EQ((*tree)["yes"], "yes");
  EXPECT_EQ((*tree)["truth"], true);
  EXPECT_TRUE((*tree)["nothing"].is_null());
  EXPECT_TRUE((*tree)["empty"].is_null());
  EXPECT_EQ((*tree)["quoted"], "42");
  EXPECT_EQ((*tree)["tagged"], "42");
  EXPECT_EQ((*tree)["infinity"], ".inf");
  EXPECT_EQ((*tree)["huge"], "1e400");
  EXPECT_EQ((*tree)["big"], 18446744073709551615ull);
  EXPECT_EQ((*tree)["date"], "2024-01-01");
}

TEST(Document, AliasesAreCopies) {
  const Result<Json> tree = parse_yaml("a: &x {k: [1, 2]}\nb: *x\nc: [*x, *x]\n", "t.yaml");
  ASSERT_TRUE(tree) << to_string(tree.error());
  EXPECT_EQ((*tree)["a"], (*tree)["b"]);
  EXPECT_EQ((*tree)["c"][1]["k"][1], 2);
}

TEST(Document, PointersAreEscapedAndHarmless) {
  EXPECT_EQ(pointer("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(pointer("", std::size_t{3}), "/3");
  EXPECT_EQ(pointer("", "x\x1b[2J"), "/x?[2J") << "no terminal control characters in messages";
  EXPECT_EQ(pointer("", "\xC2\x9B\xFF"), "/??") << "nor C1, nor what is no UTF-8";
  EXPECT_EQ(pointer("", std::string(79, 'x') + "µ"), "/" + std::string(79, 'x'));
  rc::check("any bytes", [](const std::string& text) {
    std::size_t bad = 0;
    RC_ASSERT(is_utf8(pointer("", text), bad));
  });
}

/// JSON is YAML: both readers see the same tree.
TEST(Document, JsonTextReadsTheSameAsYaml) {
  rc::check([](const std::vector<std::int64_t>& numbers, const std::map<std::string, bool>& flags) {
    Json tree{{"numbers", numbers}};
    for (const auto& [key, flag] : flags) {
      std::string name = "k";
      for (const char c : key)
        name += static_cast<char>('a' + (static_cast<unsigned char>(c) % 26));
      tree[name] = flag;
    }
    const std::string text = tree.dump();
    RC_ASSERT(*parse_json(text, "j") == tree);
    RC_ASSERT(*parse_yaml(text, "y") == tree);
  });
}

}  // namespace
}  // namespace orrery::config
