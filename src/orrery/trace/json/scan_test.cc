// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/scan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orrery::trace::json {
namespace {

TEST(StringTracker, AreToldFromStructure) {
  StringTracker strings;
  std::string outside;
  for (const char c : std::string_view(R"({"a\"}": ["\\", "]"]})"))
    if (!strings.take(c)) outside += c;
  EXPECT_EQ(outside, "{: [, ]}");
  EXPECT_FALSE(strings.inside());
  EXPECT_EQ(string_end(R"("a\"b" c)", 0), 6u);
  EXPECT_EQ(string_end(R"("a\)", 0), 3u);
}

TEST(ValueScanner, IsFoundInPieces) {
  const std::string text = R"({"a": ["}\"]", {}]})";
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    ValueScanner end;
    EXPECT_FALSE(end.feed(text.substr(0, cut)));
    EXPECT_EQ(end.feed(text.substr(cut) + ", 1"), text.size() - cut);
    EXPECT_EQ(end.max_depth(), 3u);
  }
  EXPECT_EQ(ValueScanner().feed(R"("a,\"b" )"), 7u);
  EXPECT_EQ(ValueScanner().feed("12]"), 2u);
  EXPECT_EQ(ValueScanner().feed("true"), std::nullopt);
}

TEST(KeyIterator, AreStringsBeforeColons) {
  const std::string text = R"({"a\"b" : [1, {"c":"d:"}], "e":)";
  KeyIterator keys(text);
  std::vector<std::string> found;
  while (keys.next()) {
    found.push_back(std::to_string(keys.depth()) + std::string(keys.key()));
    EXPECT_FALSE(keys.is_outside());
  }
  EXPECT_EQ(found, (std::vector<std::string>{R"(1a\"b)", "3c", "1e"}));
  EXPECT_EQ(keys.value(), text.size());
  KeyIterator second(R"({} {"a": 1})");
  EXPECT_TRUE(second.next() && second.is_outside());
}

TEST(Depth, CountsWhatIsOpen) {
  EXPECT_FALSE(nests_deeper("[[1], {\"a\": 2}]", 2));
  EXPECT_TRUE(nests_deeper("[[1], {\"a\": [2]}]", 2));
  EXPECT_FALSE(nests_deeper("[\"[[[ \\\" [[[\"]", 1));
  EXPECT_TRUE(nests_deeper(std::string(100'000, '['), 64));
  EXPECT_FALSE(nests_deeper("", 0));
}

}  // namespace
}  // namespace orrery::trace::json
