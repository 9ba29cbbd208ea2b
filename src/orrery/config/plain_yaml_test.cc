// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/plain_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"

namespace orrery::config {
namespace {

using testing::HasSubstr;

std::string error_of(const char* text) {
  const auto read = parse_plain_yaml(text, "x.yaml");
  return read ? "no error" : to_string(read.error());
}

// Every configuration of the repository that is YAML and that yaml-cpp reads.
TEST(PlainYaml, ReadsTheFilesOfTheRepositoryAsYamlCppDoes) {
  namespace fs = std::filesystem;
  std::size_t equal = 0, refused = 0;
  for (const char* const folder : {"data", "examples", "tests"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(core_testing::kSourceFolder) / folder)) {
      const std::string ending = entry.path().extension();
      if (ending != ".yaml" && ending != ".yml") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      std::vector<std::string> repeated, same_repeated;
      const auto expected = parse_yaml(text, "x", &repeated);
      if (!expected) continue;
      const auto read = parse_plain_yaml(text, "x", &same_repeated);
      if (!read) {
        ++refused;
        EXPECT_THAT(to_string(read.error()), HasSubstr("not read here")) << entry.path();
        continue;
      }
      ++equal;
      EXPECT_EQ(*read, *expected) << entry.path();
      EXPECT_EQ(same_repeated.size(), repeated.size()) << entry.path();
    }
  }
  EXPECT_GT(equal, 100u);
  EXPECT_LT(refused * 5, equal);
}

TEST(PlainYaml, ReadsStylesAsYamlCppDoes) {
  for (const char* const text :
       {"",
        "# only a comment\n",
        "a: 1",
        "a:\n- 1\n- b: 2\n  c: 3\n- - x\n  - y\nd: ~",
        "{a: 1, 'b c': [1, 2.5, true, null, text with blanks], \"d\": {}, e: }",
        "[1,\n 2,\n]",
        "a: \"line\n  folded\n\n  twice\" # why\nb: 'it''s'",
        "a: plain text\n  on two lines\nb: 2",
        "a: 0x1f\nb: 0o17\nc: +5\nd: -1e-3\ne: .5\nf: 1_000\ng: 1:2\nh: 12:30\ni: '5'",
        "---\na: 1\n",
        "a: \"\\u00e9\\n\\x41\\\n   b\"",
        "a:   b   # c\nd: e#f",
        "- \n- a",
        R"({"a":[{"b":-1.5e3},{"c":"\u00e9 \"x\""}],"d":null})",
        "a: [b: 1]",
        "a: b: c",
        "a: 1\n b: 2",
        "a: {b: 1",
        "a: \"b",
        "- a\nb: 1",
        "text",
        "'text'",
        "a: 1\na: 2",
        "a:\r\n  b: 1\r\n"}) {
    const auto expected = parse_yaml(text, "x");
    const auto read = parse_plain_yaml(text, "x");
    if (std::string_view(text) == "a: [b: 1]") {  // a pair in a list: refused here only
      EXPECT_FALSE(read.has_value());
      continue;
    }
    ASSERT_EQ(read.has_value(), expected.has_value()) << text << "\n"
                                                      << (read ? "read" : to_string(read.error()));
    if (read) EXPECT_EQ(*read, *expected) << text;
  }
}

TEST(PlainYaml, FoldsALoneCarriageReturn) {
  const auto read = parse_plain_yaml("a: \"b\rc\"", "x.yaml");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->dump(), R"({"a":"b c"})");
}

TEST(PlainYaml, RefusesTheRestWithItsPlace) {
  EXPECT_THAT(error_of("a: 1\nb: &x 2"), HasSubstr("x.yaml:2:4: anchors and aliases"));
  EXPECT_THAT(error_of("a: |\n  text"), HasSubstr("x.yaml:1:4: text blocks"));
  EXPECT_THAT(error_of("a: !t 1"), HasSubstr("tags"));
  EXPECT_THAT(error_of("? a\n: b"), HasSubstr("a key must be plain text"));
  EXPECT_THAT(error_of("a: 1\n---\nb: 2"), HasSubstr("more than one YAML document"));
  EXPECT_THAT(error_of(std::string(100, '[').c_str()), HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace orrery::config
