// SPDX-License-Identifier: Apache-2.0
//
// Plain words in all that users read: pages, output, public headers. In comments of the sources the
// words become fewer.
#include "words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "orrery/core/paths_testing.h"
#include "text.h"

namespace orrery::style {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(Words, AreFoundInTextOnly) {
  EXPECT_THAT(forbidden_words("Nobody knows what came of it, besides."),
              ElementsAre("Nobody", "what came of"));
  EXPECT_THAT(forbidden_words("untold besides"), IsEmpty());
  EXPECT_THAT(check_words("a.md", prose_of("fine\n\ntold `told` [x](told.md)\n```\ntold\n```\n")),
              ElementsAre(::testing::StartsWith("a.md:3: 'told'")));
  EXPECT_THAT(forbidden_words(
                  strings_of("told(\"what \" // told\n \"came of\", 'b', '\\'', \"x\\\"told\")")),
              ElementsAre("told"));
  EXPECT_THAT(forbidden_words(strings_of("auto a = R\"re(told \"beside\")re\"; told")), SizeIs(2));
  EXPECT_THAT(forbidden_words(comments_of("int told;  // told\n/// beside\n")), SizeIs(2));
}

const fs::path kProject = core_testing::kSourceFolder;

bool is_source(const std::string& path) {
  return has_suffix(path, ".cc") || has_suffix(path, ".h");
}

bool is_about_tests(const std::string& path) {
  return path.find("_test.") != std::string::npos || path.find("_testing.") != std::string::npos ||
         path.find("_fuzz.") != std::string::npos || path.find("/tests/") != std::string::npos;
}

TEST(Words, ArePlainInWhatUsersRead) {
  std::size_t pages = 0, in_sources = 0;
  for (const std::string& path : project_files(kProject)) {
    if (has_suffix(path, ".md")) {
      ++pages;
      for (const std::string& violation : check_words(path, prose_of(read(kProject / path))))
        ADD_FAILURE() << violation;
    }
    const bool ours = path.starts_with("src/") || path.starts_with("apps/") ||
                      path.starts_with("addons/") || path.starts_with("include/");
    if (!ours || !is_source(path) || is_about_tests(path)) continue;
    const std::string text = read(kProject / path);
    in_sources += forbidden_words(text).size();
    for (const std::string& violation : check_words(path, strings_of(text)))
      ADD_FAILURE() << violation;
    if (path.starts_with("include/"))
      for (const std::string& violation : check_words(path, comments_of(text)))
        ADD_FAILURE() << violation;
  }
  EXPECT_GT(pages, 100u);
  EXPECT_LE(in_sources, 59u) << "5 % of the 1,189 that the sources had";
}

TEST(Words, BritishSpellingsAreFound) {
  EXPECT_THAT(british_spellings("Colour of kNeighbours, rail_optimised"),
              UnorderedElementsAre("colour", "neighbour", "optimise"));
  EXPECT_THAT(british_spellings("an optimistic parallelism of color; optimism"), IsEmpty());
}

TEST(Words, AreSpelledAsInAmerica) {
  // Names that files and scripts of users contain.
  const std::map<std::string, std::vector<std::string>> accepted = {
      {"apps/orrery/hint_words.cc", {"catalogue"}},
      {"docs/reference/cluster.md", {"optimise"}},
      {"src/orrery/commands/command_table.h", {"synthesise"}},
      {"src/orrery/commands/renamed_options.cc", {"synchronis"}},
      {"src/orrery/platform/cluster/file/fabric_labels.h", {"optimise"}},
      {"src/orrery/validate/measured_points_tree.cc", {"licence"}},
  };
  for (const std::string& path : project_files(kProject)) {
    const bool ours = is_source(path) || has_suffix(path, ".md") || has_suffix(path, ".ts") ||
                      has_suffix(path, ".py") || has_suffix(path, ".cmake") ||
                      path.starts_with("data/catalog/") || path.starts_with("tests/cli/");
    if (!ours || path == "CHANGELOG.md" || path.starts_with("tests/style/")) continue;
    const auto known = accepted.find(path);
    EXPECT_EQ(british_spellings(path + read(kProject / path)),
              known == accepted.end() ? std::vector<std::string>{} : known->second)
        << path;
  }
}

/// Names of commands in earlier releases, as the table of commands lists them.
std::set<std::string> old_command_names() {
  const std::string table = read(kProject / "src/orrery/commands/command_table.h");
  const auto all = [&](const char* pattern) {
    std::set<std::string> found;
    const std::regex words(pattern);
    for (std::sregex_iterator at(table.begin(), table.end(), words), end; at != end; ++at)
      found.insert((*at)[1]);
    return found;
  };
  std::set<std::string> old = all(R"re(\.old_names = "([a-z-]+)")re");
  for (const std::string& now : all(R"re(\.name = "([a-z-]+))re")) old.erase(now);
  return old;
}

// "orrery inspect", or the program's name in an example: "  {} inspect".
TEST(Words, NameCommandsAsTheyAreNow) {
  const std::set<std::string> old = old_command_names();
  EXPECT_GE(old.size(), 15u);
  const std::regex command(R"((orrery|  \{\}) ([a-z-]+)(?= [^ ]|'|`|\\n|\n))");
  for (const std::string& path : project_files(kProject)) {
    const bool ours = is_source(path) || has_suffix(path, ".md") || has_suffix(path, ".py") ||
                      has_suffix(path, ".sh");
    if (!ours || path == "CHANGELOG.md" || path.starts_with("docs/decisions/")) continue;
    std::string text = read(kProject / path);
    if (is_source(path)) text += "\n" + strings_of(text);
    for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at)
      EXPECT_FALSE(old.contains((*at)[2])) << path << ": " << at->str();
  }
}

}  // namespace
}  // namespace orrery::style
