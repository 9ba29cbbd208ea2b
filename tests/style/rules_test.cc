// SPDX-License-Identifier: Apache-2.0
//
// Planted violations: a rule that cannot fail guards nothing.
#include "rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "includes.h"
#include "text.h"

namespace orrery::style {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kTable =
    "| room | holds | may include |\n"
    "|---|---|---|\n"
    "| `core` | units | – |\n"
    "| `graph` | work; `Graph` | `core` |\n"
    "| `trace` | readers | `graph` |\n"
    "| `apps/orrery` | the command line | everything |\n";

std::string function_of(int lines) {
  std::string text = "int f(int a,\n      int b) {\n";
  for (int i = 0; i < lines - 3; ++i) text += "  a += b;\n";
  return text + "}\n";
}

TEST(Rooms, AreClosedOverWhatTheyInclude) {
  const RoomTable rooms = parse_rooms(kTable);
  EXPECT_THAT(rooms.at("core"), ElementsAre("core"));
  EXPECT_THAT(rooms.at("trace"), ElementsAre("core", "graph", "trace"));
  EXPECT_THAT(rooms.at("apps/orrery"), SizeIs(4));
}

TEST(Rooms, MayBeForbiddenWhatOthersReach) {
  const RoomTable rooms = parse_rooms(std::string(kTable) +
                                      "| `record` | runs | `trace`, not `graph` |\n"
                                      "| `study` | notes and not `core` | `record` |\n");
  EXPECT_THAT(rooms.at("record"), ElementsAre("core", "record", "trace"));
  EXPECT_THAT(rooms.at("study"), ElementsAre("core", "graph", "record", "study", "trace"));
  EXPECT_THAT(check_includes("src/orrery/record/a.cc", "#include \"orrery/graph/graph.h\"", rooms),
              ElementsAre("src/orrery/record/a.cc:1: record may not include graph"));
}

TEST(Includes, UpwardOnesAreFound) {
  const RoomTable rooms = parse_rooms(kTable);
  EXPECT_THAT(check_includes("src/orrery/trace/a.cc",
                             "#include \"orrery/core/error.h\"\n#include <map>\n", rooms),
              IsEmpty());
  EXPECT_THAT(
      check_includes("src/orrery/core/a.cc", "\n#include \"orrery/graph/graph.h\"\n", rooms),
      ElementsAre("src/orrery/core/a.cc:2: core may not include graph"));
  EXPECT_THAT(check_includes("src/orrery/graph/a.cc", "  #  include \"orrery/trace/x.h\"\n", rooms),
              SizeIs(1));
  EXPECT_THAT(check_includes("src/orrery/graph/a.cc", "#include \"apps/orrery/x.h\"\n", rooms),
              SizeIs(1));
}

TEST(Includes, OfAddOnsAreFoundInTheCore) {
  const RoomTable rooms = parse_rooms(std::string(kTable) +
                                      "| `addons/a` | x | `graph` |\n"
                                      "| `addons/a/command` | x | `addons/a` `apps/orrery` |\n");
  const std::string include = "#include \"addons/a/b/c.h\"\n";
  for (const char* core : {"src/orrery/trace/a.cc", "apps/orrery/main.cc"})
    EXPECT_THAT(check_includes(core, include, rooms), SizeIs(1)) << core;
  EXPECT_THAT(check_includes("addons/a/b/d.cc", include, rooms), IsEmpty());
  EXPECT_THAT(check_includes("addons/a/b/d.cc", "#include \"apps/orrery/session.h\"\n", rooms),
              SizeIs(1));
  EXPECT_THAT(check_includes("addons/a/command/d.cc",
                             include + "#include \"apps/orrery/session.h\"\n", rooms),
              IsEmpty());
}

TEST(Folders, MayNotIncludeEachOtherInACircle) {
  IncludeTable folders;
  add_folders("src/orrery/a/one/x.cc", "#include \"orrery/a/two/y.h\"\n", folders);
  add_folders("src/orrery/a/two/y.h", "#include \"orrery/a/z.h\"\n#include \"orrery/b/w.h\"\n",
              folders);
  EXPECT_TRUE(check_circles(folders).empty());
  add_folders("src/orrery/a/z.h", "#include \"orrery/a/one/v.h\"\n", folders);
  EXPECT_FALSE(check_circles(folders).empty());
}

TEST(Folders, FollowTheirTable) {
  RoomTable table = parse_rooms(
      "| `a` | x | – |\n| `a/one` | x | `a/two` |\n| `a/two` | x | `a/three` |\n"
      "| `a/three` | x | – |\n| `apps/orrery` | x | everything |\n");
  IncludeTable folders = {
      {"a", {}}, {"a/one", {"a/two", "a/three"}}, {"a/two", {}}, {"a/three", {}}};
  EXPECT_THAT(check_folders(table, folders), IsEmpty());
  folders["a/three"] = {"a/one"};
  folders["a/four"] = {};
  folders.erase("a/two");
  EXPECT_THAT(check_folders(table, folders),
              ElementsAre("folder 'a/four' is not in the tables of docs/architecture.md",
                          "folder a/three may not include a/one",
                          "docs/architecture.md lists folder 'a/two', which has no files"));
}

TEST(Files, MayNotIncludeEachOtherInACircle) {
  IncludeTable files;
  add_header("src/orrery/a/x.h", "#include \"orrery/a/y.h\"\n#include <map>\n", files);
  add_header("include/orrery/a/y.h", "#include \"orrery/b/z.h\"\n", files);
  add_header("src/orrery/b/z.h", "", files);
  EXPECT_THAT(check_circles(files), IsEmpty());
  add_header("src/orrery/b/z.h", "#include \"orrery/a/x.h\"\n", files);
  EXPECT_THAT(check_circles(files), testing::Not(IsEmpty()));
}

TEST(Files, OfThePageMayNotImportEachOtherInACircle) {
  IncludeTable files;
  add_script("web/src/a/x.ts", "import type { Y } from './y';\nimport '../z';\n", files);
  add_script("web/src/a/y.ts", "import * as d from 'd3';\nconst z = await import(\"../z\");\n",
             files);
  add_script("web/src/z.ts", "", files);
  EXPECT_THAT(files.at("web/src/a/x.ts"), ElementsAre("web/src/a/y.ts", "web/src/z.ts"));
  EXPECT_THAT(files.at("web/src/a/y.ts"), ElementsAre("web/src/z.ts"));
  EXPECT_THAT(check_circles(files), IsEmpty());
  add_script("web/src/z.ts", "export { y } from './a/y';\n", files);
  EXPECT_THAT(check_circles(files),
              ElementsAre("web/src/a/y.ts and web/src/z.ts include each other"));
}

TEST(Files, ForTestsSaySo) {
  IncludeTable files = {{"src/orrery/a/a.cc", {"orrery/a/a.h"}},
                        {"src/orrery/a/a_test.cc", {"orrery/a/a.h", "orrery/a/a_testing.h"}},
                        {"src/orrery/a/a_testing.h", {"orrery/a/a.h"}}};
  EXPECT_THAT(check_test_headers(files), IsEmpty());
  files["benchmarks/a.cc"] = files["tests/b/b.h"] = {"orrery/a/toys.h"};
  EXPECT_THAT(check_test_headers(files), ElementsAre(HasSubstr("orrery/a/toys.h is included by")));
  files["src/orrery/a/b.h"] = {"orrery/a/toys.h", "orrery/a/a_testing.h"};
  EXPECT_THAT(check_test_headers(files),
              ElementsAre("src/orrery/a/b.h is no test and includes orrery/a/a_testing.h"));
}

TEST(Includes, MustBeWholeAndOfAKnownRoom) {
  const RoomTable rooms = parse_rooms(kTable);
  EXPECT_THAT(check_includes("src/orrery/graph/a.cc", "#include \"graph.h\"\n", rooms), SizeIs(1));
  EXPECT_THAT(check_includes("src/orrery/graph/a.cc", "#include \"../core/error.h\"\n", rooms),
              SizeIs(1));
  EXPECT_THAT(check_includes("src/orrery/graph/a.cc", "#include \"orrery/attic/x.h\"\n", rooms),
              SizeIs(1));
  EXPECT_THAT(check_includes("src/orrery/attic/a.cc", "", rooms), SizeIs(1));
  EXPECT_THAT(check_includes("apps/orrery/main.cc",
                             "#include \"run.h\"\n#include \"options/run.h\"\n"
                             "#include \"orrery/trace/x.h\"\n",
                             rooms),
              IsEmpty());
}

TEST(Length, LongFilesAndFunctionsAreFound) {
  EXPECT_THAT(check_length("a.cc", std::string(700, '\n')), IsEmpty());
  EXPECT_THAT(check_length("a.cc", std::string(701, '\n')), SizeIs(1));
  EXPECT_THAT(check_functions("a.cc", function_of(60)), IsEmpty());
  EXPECT_THAT(check_functions("a.cc", "int x;\n\n" + function_of(61)),
              ElementsAre("a.cc:3: a function of 61 lines; at most 60"));
}

TEST(Length, TypesTablesNamespacesAndRawStringsAreNoFunctions) {
  std::string type = "struct S {\n";
  for (int i = 0; i < 100; ++i) type += "  int a;\n";
  EXPECT_THAT(check_functions("a.cc", type + "};\n"), IsEmpty());
  std::string space = "namespace a {\n";
  for (int i = 0; i < 100; ++i) space += "\n";
  EXPECT_THAT(check_functions("a.cc", space + "}  // namespace a\n"), IsEmpty());
  std::string raw = "void f() {\n  auto s = R\"x(\n";
  for (int i = 0; i < 70; ++i) raw += "text {\n";
  EXPECT_THAT(check_functions("a.cc", raw + "}\n)x\";\n}\n"), SizeIs(1))
      << "the text is part of the function";
}

TEST(Length, LabelsOfASwitchAreNotCounted) {
  std::string table = "int f(E e) {\n";
  for (int i = 0; i < 40; ++i) table += "    case E::a:\n      return 1;\n";
  EXPECT_THAT(check_functions("a.cc", table + "}\n"), IsEmpty());
  for (int i = 0; i < 30; ++i) table += "    case E::a:\n      return 1;\n";
  EXPECT_THAT(check_functions("a.cc", table + "}\n"), SizeIs(1));
}

TEST(License, IsTheFirstLine) {
  EXPECT_THAT(check_license("a.h", "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"),
              IsEmpty());
  EXPECT_THAT(check_license("a.h", "#pragma once\n"), SizeIs(1));
  EXPECT_THAT(check_license("a.h", ""), SizeIs(1));
}

TEST(Quiet, TerminalsAndTheEnvironmentAreFound) {
  for (const char* line :
       {"if (isatty(1)) {", "::ioctl(1, TIOCGWINSZ, &size);", "setenv(\"A\", \"b\", 1);",
        "secure_getenv(\"A\")", "extern char** environ;", "fwrite(p, 1, n, stdout);",
        "std::cin >> a;", "std::wcerr << a;", "#include <iostream>", "#  include <termios.h>"}) {
    EXPECT_THAT(check_quiet("src/orrery/graph/a.cc", line), SizeIs(1)) << line;
  }
  EXPECT_THAT(check_quiet("src/orrery/graph/a.cc",
                          "#include <istream>\nstd::string environment;\n// stdout\n"
                          "if (path == to_stdout) return;\n"),
              IsEmpty());
}

TEST(Quiet, PrintingExitingAndClocksAreFound) {
  for (const char* line :
       {"std::cerr << 1;", "printf(\"x\");", "std::exit(1);", "std::getenv(\"HOME\");",
        "auto now = std::chrono::steady_clock::now();", "abort();", "fmt::print(\"\");"}) {
    EXPECT_THAT(check_quiet("src/orrery/graph/a.cc", line), SizeIs(1)) << line;
  }
  EXPECT_THAT(check_quiet("src/orrery/graph/a.cc",
                          "// may exit(1)\nint exit_code(Errc code);\nsnprintf(a, b);\n"),
              IsEmpty());
}

TEST(Mentions, OfWorkplacesAndPackageHostsAreFound) {
  const std::string folder = std::string("/wo") + "rk/main";
  EXPECT_THAT(check_mentions("README.md", "a\nsee " + folder),
              ElementsAre(HasSubstr("README.md:2")));
  EXPECT_THAT(check_mentions("README.md", std::string("http://deb.") + "debian.org/debian"),
              SizeIs(1));
  EXPECT_THAT(check_mentions("README.md", "network/topology, rework/"), IsEmpty());
}

TEST(Enumerators, AreReadWithoutCommentsAndValues) {
  const char* header =
      "enum class Other { x };\nenum class Errc : int {\n  // Usage\n  usage = 1000,  ///< a, b\n  "
      "stall\n};\n"
      "enum class Z {\n  z,\n};\n";
  EXPECT_THAT(enumerators(header, "Errc"),
              ElementsAre(Enumerator{"usage", "1000"}, Enumerator{"stall", ""}));
  EXPECT_THAT(enumerators(header, "Missing"), IsEmpty());
}

TEST(Constants, AreFoundByName) {
  const char* header =
      "inline constexpr std::uint64_t kA = 1;  ///< a\nint x;\ninline constexpr int kB = 2;\n";
  EXPECT_THAT(constants(header), ElementsAre("kA", "kB"));
}

TEST(Links, LocalOnesAreFoundOutsideCode) {
  const char* page =
      "# One Title\n[a](b.md) [w](https://x.org) `[c](d)`\n```\n# no\n[e](f)\n```\n"
      "## Two, `three`\n[g](#one-title)\n";
  EXPECT_THAT(local_links(page), ElementsAre("b.md", "#one-title"));
  EXPECT_THAT(anchors(page), ElementsAre("one-title", "two-three"));
}

TEST(Text, BlankingKeepsEveryLine) {
  EXPECT_EQ(without_literals("a // b\n/* c\nd */ e"), "a     \n    \n     e");
  EXPECT_EQ(without_literals("f(\"// no\") 1'000 // x"), "f(\"// no\") 1'000     ");
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
}

}  // namespace
}  // namespace orrery::style
