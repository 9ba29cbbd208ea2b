// SPDX-License-Identifier: Apache-2.0
//
// include/orrery/commands/*.h, a question type and a function for each command, from the tables of
// options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "exit_codes.h"
#include "files.h"
#include "orrery/commands/command.h"
#include "orrery/core/paths_testing.h"
#include "question_members.h"
#include "session.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

/// `text` as comment lines of at most 100 columns, the first after `first`.
std::string comment(std::string_view text, std::string_view indent) {
  std::string lines, line;
  const auto end_line = [&] {
    lines += fmt::format("{}///{}\n", indent, line);
    line.clear();
  };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!line.empty() && indent.size() + 3 + line.size() + 1 + word.size() > 100) end_line();
    line += fmt::format(" {}", word);
  }
  end_line();
  return lines;
}

std::string member_type(const config::FieldKind& kind) {
  const std::string_view one = kind.json == "boolean"   ? "bool"
                               : kind.json == "integer" ? "std::int64_t"
                               : kind.json == "number"  ? "double"
                                                        : "std::string";
  return fmt::format("std::{}<{}>", kind.is_list ? "vector" : "optional", one);
}

/// "from" of "from"; "not_" of what C++ has for itself.
std::string member_name(const std::string& key) {
  static const std::set<std::string> taken = {"export", "default", "new", "class", "not",  "and",
                                              "or",     "for",     "do",  "auto",  "break"};
  return taken.contains(key) ? key + "_" : key;
}

std::string type_name(std::string_view command) {
  std::string name;
  bool upper = true;
  for (const char c : command) {
    const bool ends_word = c == '-' || c == ' ';
    if (!ends_word) name += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = ends_word;
  }
  return name + "Question";
}

std::string command_text(const Command& command, commands::Context& context) {
  const commands::BoundCommand bound(command, context);
  const std::string type = type_name(command.name);
  std::string members, added;
  std::set<std::string> seen;
  for (const bool options : {true, false})  // "traces" is --traces, not TRACES
    for (const FieldRecord& field : bound.options.fields) {
      if (field.options.starts_with('-') != options || !is_member(field, seen)) continue;
      const std::string key = commands::json_name(field.options);
      members += comment(member_comment(field), "  ");
      members += fmt::format("  {} {}{{}};\n", member_type(field.kind), member_name(key));
      added += fmt::format("    text.add(\"{}\", {});\n", key, member_name(key));
    }
  std::string text = comment(fmt::format("{}: `orrery {}`.", command.summary, command.name), "");
  text += fmt::format("struct {} {{\n{}\n", type, members);
  text += fmt::format(
      "  [[nodiscard]] std::string json() const {{\n    QuestionText text;\n{}"
      "    return text.finish();\n  }}\n}};\n\n",
      added);
  const std::string first = fmt::format("[[nodiscard]] inline Answer {}(const {}& question,",
                                        function_name(command.name), type);
  constexpr std::string_view kSecond = "const CallOptions& options = {}) {";
  const bool fits = first.size() + 1 + kSecond.size() <= 100;
  text += first + (fits ? " " : "\n" + std::string(first.find('(') + 1, ' ')) +
          std::string(kSecond) + "\n";
  text += fmt::format("  return call(\"{}\", question.json(), options);\n}}\n", command.name);
  return text;
}

/// The headers by their names.
std::map<std::string, std::string> headers() {
  app::Session session;
  std::map<std::string, std::string> all;
  for (const Command& command : commands::all_commands()) {
    if (command.group == Group::hidden || is_of_program(command.name)) continue;
    std::string& text = all[file_name(command) + ".h"];
    if (text.empty())
      text =
          "// SPDX-License-Identifier: Apache-2.0\n"
          "//\n"
          "// Generated from the tables of options. To renew it, run the cli tests with "
          "ORRERY_UPDATE_DOCS=1.\n"
          "#pragma once\n\n"
          "#include \"orrery/call.h\"\n\n"
          "namespace orrery::api {\n\n";
    else
      text += "\n";
    text += command_text(command, session);
  }
  for (auto& [name, text] : all) text += "\n}  // namespace orrery::api\n";
  return all;
}

TEST(LibraryHeaders, AreThoseOfTheTables) {
  if (!missing_commands().empty()) GTEST_SKIP() << "the headers have the commands of all add-ons";
  const std::string folder = std::string(core_testing::kSourceFolder) + "/include/orrery/commands/";
  for (const auto& [name, text] : headers()) {
    if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(folder + name) << text;
    EXPECT_EQ(read(folder + name), text) << "run this test with ORRERY_UPDATE_DOCS=1";
  }
}

/// docs/library.md and orrery.h repeat some lists.
TEST(LibraryHeaders, PagesNameWhatThereIs) {
  const std::string root = std::string(core_testing::kSourceFolder) + "/";
  const std::string page = read(root + "docs/library.md"),
                    c = read(root + "include/orrery/orrery.h");
  for (const auto& [name, text] : headers()) {
    if (name == "tool.h" || name == "trace_validate.h") continue;
    EXPECT_NE(page.find("commands/" + name), std::string::npos) << name;
  }
  for (const app::ExitCode& code : app::kExitCodes)
    for (const std::string* text : {&page, &c})
      EXPECT_NE(text->find(fmt::format(" {} ", code.code)), std::string::npos) << code.code;
  app::Session session;
  std::set<std::string> terminal;
  for (const Command& command : commands::all_commands()) {
    const commands::BoundCommand bound(command, session);
    for (const FieldRecord& field : bound.options.fields)
      if (!field.options.empty() && commands::is_of_terminal(commands::json_name(field.options)))
        terminal.insert(commands::json_name(field.options));
  }
  EXPECT_EQ(terminal.size(), 5u);
  for (const std::string& option : terminal)
    EXPECT_NE(page.find("`--" + option + "`"), std::string::npos) << option;
}

}  // namespace
}  // namespace orrery::cli_test
