// SPDX-License-Identifier: Apache-2.0
//
// Runs the house's rules over the whole project. rules_test.cc shows that the rules bite.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "includes.h"
#include "orrery/core/paths_testing.h"
#include "rules.h"
#include "text.h"

namespace orrery::style {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = core_testing::kSourceFolder;

bool is_cpp(const std::string& path) { return has_suffix(path, ".cc") || has_suffix(path, ".h"); }

std::vector<std::string> cpp_files(std::initializer_list<std::string> folders) {
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    for (const std::string& path : files_in(kRoot, folder)) {
      if (is_cpp(path)) found.push_back(path);
    }
  }
  return found;
}

void expect_none(const Violations& violations) {
  for (const std::string& violation : violations) ADD_FAILURE() << violation;
}

TEST(Style, IncludesFollowTheTableOfRooms) {
  const RoomTable rooms = parse_rooms(read(kRoot / "docs/architecture.md"));
  ASSERT_TRUE(rooms.contains("core") && rooms.contains("apps/orrery"))
      << "the table of rooms is gone";
  for (const std::string& path : cpp_files({"include", "src", "apps", "addons"})) {
    if (!is_in_addon_tests(path)) expect_none(check_includes(path, read(kRoot / path), rooms));
  }
}

// The core builds without add-ons.
TEST(Style, TheCoreIncludesNoAddOn) {
  for (const std::string& path : cpp_files({"include", "src", "apps"})) {
    if (path.starts_with("apps/orrery_bench/")) continue;  // part of the add-on `bench`
    for (const std::string& included : includes(read(kRoot / path)))
      EXPECT_FALSE(included.starts_with("addons/")) << path << " includes " << included;
  }
}

// A reader can survey a folder.
TEST(Style, FoldersHaveAtMost24Files) {
  std::map<std::string, int> files;
  for (const std::string& path : cpp_files({"include", "src", "addons"})) {
    if (!is_for_tests(path)) ++files[fs::path(path).parent_path().string()];
  }
  for (const auto& [folder, count] : files) EXPECT_LE(count, 24) << folder;
}

TEST(Style, FoldersInsideRoomsFollowTheTable) {
  IncludeTable folders;
  for (const std::string& path : cpp_files({"src", "addons"})) {
    if (!is_for_tests(path)) add_folders(path, read(kRoot / path), folders);
  }
  ASSERT_TRUE(folders.contains("workload/spec"));
  expect_none(check_circles(folders));
  expect_none(check_folders(parse_rooms(read(kRoot / "docs/architecture.md")), folders));
}

TEST(Style, FilesHaveNoCircle) {
  IncludeTable files;
  for (const std::string& path : cpp_files({"include", "src", "apps", "addons"})) {
    if (has_suffix(path, ".h")) add_header(path, read(kRoot / path), files);
  }
  for (const std::string& path : files_in(kRoot, "web/src")) {
    if (has_suffix(path, ".ts")) add_script(path, read(kRoot / path), files);
  }
  ASSERT_TRUE(files.contains("orrery/graph/graph.h") && files.contains("web/src/dom.ts"));
  expect_none(check_circles(files));
}

TEST(Style, HelpersOfTestsAreCalledSo) {
  IncludeTable files;
  for (const std::string& path :
       cpp_files({"include", "src", "apps", "addons", "tests", "benchmarks"})) {
    for (const std::string& included : includes(read(kRoot / path))) files[path].insert(included);
  }
  files["cmake/OrreryAddons.cmake"].insert("orrery/commands/command_table.h");  // generated sources
  expect_none(check_test_headers(files));
}

// What is installed needs nothing that is not.
TEST(Style, PublicHeadersIncludePublicOnes) {
  const std::vector<std::string> headers = cpp_files({"include"});
  const auto written = std::count_if(headers.begin(), headers.end(), [](const std::string& path) {
    return !path.starts_with("include/orrery/commands/");  // generated
  });
  EXPECT_LE(written, 17) << "few";
  for (const std::string& path : headers) {
    EXPECT_TRUE(has_suffix(path, ".h")) << path;
    for (const std::string& included : includes(read(kRoot / path)))
      EXPECT_TRUE(fs::exists(kRoot / "include" / included)) << path << " includes " << included;
  }
}

// Parts of the engine keep their data to themselves.
TEST(Style, NoPartOfTheEngineHasAFriend) {
  for (const std::string& path : cpp_files({"src/orrery/sim"}))
    EXPECT_EQ(read(kRoot / path).find("friend class"), std::string::npos) << path;
  const std::string engine = read(kRoot / "src/orrery/sim/engine/engine.h");
  EXPECT_LE(std::count(engine.begin(), engine.end(), '\n'), 150);
}

TEST(Style, FilesAreShort) {
  std::vector<std::string> paths =
      cpp_files({"include", "src", "apps", "addons", "tests", "benchmarks"});
  for (const std::string& path : project_files(kRoot)) {
    const bool script =
        path == "setup" || path == "check" || path == "orrery" || has_suffix(path, ".sh");
    if (script || has_suffix(path, ".cmake") || has_suffix(path, "CMakeLists.txt"))
      paths.push_back(path);
  }
  for (const std::string& path : paths) expect_none(check_length(path, read(kRoot / path)));
}

TEST(Style, FunctionsAreShort) {
  for (const std::string& path :
       cpp_files({"include", "src", "apps", "addons", "tests", "benchmarks"})) {
    expect_none(check_functions(path, read(kRoot / path)));
  }
}

TEST(Style, EveryFileNamesItsLicense) {
  for (const std::string& path :
       cpp_files({"include", "src", "apps", "addons", "tests", "benchmarks"})) {
    expect_none(check_license(path, read(kRoot / path)));
  }
}

// ns-3 is GPL-2 only, which excludes Apache-2.0: the plug-in includes only ns-3 and itself, under a
// license that both allow, and no package contains it. Nothing else includes ns-3.
TEST(Style, ThePlugInOfNs3IsSeparate) {
  const std::vector<std::string> paths = cpp_files({"plugins"});
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    const std::string text = read(kRoot / path);
    EXPECT_TRUE(text.starts_with("// SPDX-License-Identifier: MIT\n") ||
                text.starts_with("/* SPDX-License-Identifier: MIT */\n"))
        << path;
    for (const std::string& included : includes(text))
      EXPECT_TRUE(included.starts_with("ns3/") || included.starts_with("plugins/ns3/") ||
                  fs::exists(kRoot / "plugins/ns3" / included))
          << path << " includes " << included;
    expect_none(check_length(path, text));
    expect_none(check_functions(path, text));
  }
  EXPECT_EQ(read(kRoot / "plugins/ns3/CMakeLists.txt").find("install("), std::string::npos);
  for (const std::string& path : cpp_files({"include", "src", "apps", "addons"})) {
    for (const std::string& included : includes(read(kRoot / path)))
      EXPECT_FALSE(included.starts_with("ns3/")) << path << " includes " << included;
  }
}

TEST(Style, TheLibraryIsQuiet) {
  for (const std::string& path : cpp_files({"include", "src", "addons"})) {
    // `bench` measures time and starts processes; `ui` is a server, and not in the library.
    const bool is_program =
        room_of(path) == "addons/bench/command" || path.starts_with("addons/ui/");
    if (!is_program && !is_for_tests(path)) expect_none(check_quiet(path, read(kRoot / path)));
  }
}

TEST(Style, NothingNamesAWorkplace) {
  for (const std::string& path : project_files(kRoot)) {
    const std::string text = read(kRoot / path);
    if (text.find('\0') == std::string::npos) expect_none(check_mentions(path, text));
  }
}

TEST(Style, LinksInTheDocumentationResolve) {
  for (const std::string& path : project_files(kRoot)) {
    if (!has_suffix(path, ".md")) continue;
    const std::string text = read(kRoot / path);
    for (const std::string& link : local_links(text)) {
      const std::size_t hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path target = file.empty() ? kRoot / path : (kRoot / path).parent_path() / file;
      EXPECT_TRUE(fs::exists(target)) << path << ": no such file: " << link;
      if (hash == std::string::npos || !fs::is_regular_file(target)) continue;
      EXPECT_TRUE(anchors(read(target)).contains(link.substr(hash + 1)))
          << path << ": no such heading: " << link;
    }
  }
}

// Rooms and add-ons: folders directly below src/orrery and addons that hold files.
std::set<std::string> room_folders() {
  std::set<std::string> folders;
  for (const std::string parent : {"src/orrery/", "addons/"}) {
    for (const std::string& path : files_in(kRoot, parent)) {
      const std::size_t slash = path.find('/', parent.size());
      if (slash != std::string::npos) folders.insert(path.substr(0, slash));
    }
  }
  return folders;
}

// Lines without their leading blanks.
std::vector<std::string> unindented_lines(std::string_view text) {
  std::vector<std::string> lines = lines_of(text);
  for (std::string& line : lines) line.erase(0, line.find_first_not_of(" \t"));
  return lines;
}

// The first C++ block of a Markdown page, as unindented lines.
std::vector<std::string> example_lines(std::string_view page) {
  const std::vector<std::string> lines = unindented_lines(page);
  auto first = std::find(lines.begin(), lines.end(), "```cpp");
  if (first != lines.end()) ++first;
  return {first, std::find(first, lines.end(), "```")};
}

void expect_readme(const std::string& room) {
  SCOPED_TRACE(room + "/README.md");
  const fs::path folder = kRoot / room;
  ASSERT_TRUE(fs::exists(folder / "README.md")) << "a room has a page that introduces it";
  const std::string page = read(folder / "README.md");
  EXPECT_TRUE(page.starts_with("# " + folder.filename().string() + "\n"));
  EXPECT_LE(lines_of(page).size(), 30u);
  for (const char* const label :
       {"Main types:", "Example:", "Safe to change alone:", "Look further when:"})
    EXPECT_NE(page.find(std::string("\n") + label), std::string::npos) << "no line \"" << label;

  const std::vector<std::string> links = local_links(page);
  const auto test = std::find_if(links.begin(), links.end(), [](const std::string& link) {
    return has_suffix(link, "_test.cc");
  });
  ASSERT_NE(test, links.end()) << "no link to the test that the example is from";
  ASSERT_TRUE(fs::exists(folder / *test)) << *test;
  const std::vector<std::string> example = example_lines(page);
  EXPECT_GE(example.size(), 3u) << "lines of the example";
  EXPECT_LE(example.size(), 8u) << "lines of the example";
  const std::vector<std::string> source = unindented_lines(read(folder / *test));
  EXPECT_NE(std::search(source.begin(), source.end(), example.begin(), example.end()), source.end())
      << *test << " no longer contains the example: copy it again";
}

TEST(Style, EveryRoomHasAReadme) {
  const std::set<std::string> rooms = room_folders();
  ASSERT_TRUE(rooms.contains("src/orrery/core"));
  for (const std::string& room : rooms) expect_readme(room);
}

TEST(Style, EveryLimitIsInTheSecurityModel) {
  const std::string security = read(kRoot / "SECURITY.md");
  const std::vector<std::string> limits = constants(read(kRoot / "src/orrery/core/limits.h"));
  ASSERT_FALSE(limits.empty());
  for (const std::string& limit : limits) {
    EXPECT_NE(security.find("`" + limit + "`"), std::string::npos) << "SECURITY.md lacks " << limit;
  }
}

// What tests say: C++ tests name codes, transcripts and case tables print them.
std::string all_tests() {
  std::string text;
  for (const std::string& path : project_files(kRoot)) {
    const bool style = path.starts_with("tests/style/");
    const bool there = path.starts_with("tests/") || is_in_addon_tests(path);
    if (!style && (is_cpp(path) ? has_suffix(path, "_test.cc") : there)) text += read(kRoot / path);
  }
  return text;
}

TEST(Style, EveryErrorAndFindingIsProducedByATest) {
  const std::string tests = all_tests();
  const auto tested = [&](const std::string& word) {
    return tests.find(word) != std::string::npos;
  };
  for (const auto& [header, type] :
       {std::pair{"error.h", "Errc"}, std::pair{"findings.h", "FindingCode"}}) {
    const std::vector<Enumerator> codes =
        enumerators(read(kRoot / "include/orrery/core" / header), type);
    ASSERT_GT(codes.size(), 10u) << type;
    for (const auto& [name, value] : codes) {
      const std::string whole = std::string(type) + "::" + name;
      if (tested(whole) || tested('"' + name + '"') || tested(name + ":") ||
          tested(" " + name + "\n"))
        continue;
      if (!value.empty() && tested("E" + value)) continue;
      ADD_FAILURE() << "no test produces " << whole;
    }
  }
}

}  // namespace
}  // namespace orrery::style
