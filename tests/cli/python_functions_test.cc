// SPDX-License-Identifier: Apache-2.0
//
// python/orrery/commands/: a function for each command, from the tables of options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "files.h"
#include "orrery/core/paths_testing.h"
#include "question_members.h"
#include "session.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

constexpr std::string_view kGenerated =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Generated from the tables of options. To renew it, run the cli tests with "
    "ORRERY_UPDATE_DOCS=1.\n";
constexpr std::string_view kFunctionsHead =
    "from __future__ import annotations\n\n"
    "from typing import Optional, Sequence, Union\n\n"
    "from ..answer import Answer, ProgressOption, Value, call_as, question_of\n\n";
constexpr std::string_view kPackageText =
    R"("""A function for each command of the command line, with its options by their names.

A parameter that is not given has the default of the option. Each function returns an Answer, raises
OrreryError, and warns of findings (OrreryWarning). `keep_run` keeps the tables of a run; `progress`
shows a bar (True), none (False), or calls a function.
"""

from typing import Callable, Dict

from ..answer import Answer
)";

/// A name that Python has not taken; question_of() in answer.py takes the line away again.
std::string python_name(const std::string& key) {
  static const std::set<std::string> taken = {"and",  "as",   "class",  "for",    "from",
                                              "if",   "in",   "is",     "not",    "or",
                                              "pass", "with", "lambda", "global", "import"};
  return taken.contains(key) ? key + "_" : key;
}

std::string python_type(const config::FieldKind& kind) {
  const std::string_view one = kind.json == "boolean"   ? "bool"
                               : kind.json == "integer" ? "int"
                               : kind.json == "number"  ? "float"
                                                        : "Value";
  return kind.is_list ? fmt::format("Union[{0}, Sequence[{0}], None]", one)
                      : fmt::format("Optional[{}]", one);
}

/// `text` at an indent, in lines of at most 100 columns.
std::string wrapped(std::string_view text, std::string_view indent, std::string_view more) {
  std::string made, line(indent);
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!first && line.size() + 1 + word.size() > 100) {
      made += line + "\n";
      line = fmt::format("{}{}", indent, more);
      first = true;
    }
    line += fmt::format("{}{}", first ? "" : " ", word);
    first = false;
  }
  return made + line + "\n";
}

/// A text within \"\"\".
std::string in_docstring(std::string text) {
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string function_text(const Command& command, commands::Context& context) {
  const commands::BoundCommand bound(command, context);
  std::string parameters, comments;
  std::set<std::string> seen;
  for (const bool options : {true, false})  // "traces" is --traces, not TRACES
    for (const FieldRecord& field : bound.options.fields) {
      if (field.options.starts_with('-') != options || !is_member(field, seen)) continue;
      const std::string name = python_name(commands::json_name(field.options));
      parameters += fmt::format("    {}: {} = None,\n", name, python_type(field.kind));
      comments +=
          wrapped(in_docstring(fmt::format("{}: {}", name, member_comment(field))), "    ", "    ");
    }
  return fmt::format(
      "\ndef {0}(\n    *,\n{1}    keep_run: bool = False,\n    progress: ProgressOption = None,\n"
      ") -> Answer:\n    \"\"\"{2}: `orrery {3}`.\n\n{4}    \"\"\"\n"
      "    question = question_of(locals())\n"
      "    return call_as(Answer, \"{3}\", question, keep_run=keep_run, progress=progress)\n\n",
      function_name(command.name), parameters, in_docstring(std::string(command.summary)),
      command.name, comments);
}

/// The package's files by their names.
std::map<std::string, std::string> files() {
  app::Session session;
  std::map<std::string, std::string> all;
  std::map<std::string, std::string> imports;
  std::string names;
  for (const Command& command : commands::all_commands()) {
    if (command.group == Group::hidden || is_of_program(command.name)) continue;
    const std::string file = file_name(command), function = function_name(command.name);
    std::string& text = all[file + ".py"];
    if (text.empty()) text = fmt::format("{}\n{}", kGenerated, kFunctionsHead);
    text += function_text(command, session);
    std::string& imported = imports[file];
    imported += fmt::format("{}{}", imported.empty() ? "" : ", ", function);
    names += fmt::format("    \"{}\": {},\n", command.name, function);
  }
  std::string package = fmt::format("{}{}", kGenerated, kPackageText);
  for (const auto& [file, functions] : imports)
    package += fmt::format("from .{} import {}\n", file, functions);
  package += fmt::format(
      "\n#: The functions by the names of their commands.\n"
      "FUNCTIONS: Dict[str, Callable[..., Answer]] = {{\n{}}}\n",
      names);
  all["__init__.py"] = package;
  return all;
}

TEST(PythonFunctions, AreThoseOfTheTables) {
  if (!missing_commands().empty()) GTEST_SKIP() << "the files have the commands of all add-ons";
  const std::string folder = std::string(core_testing::kSourceFolder) + "/python/orrery/commands/";
  for (const auto& [name, text] : files()) {
    if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(folder + name) << text;
    EXPECT_EQ(read(folder + name), text) << "run this test with ORRERY_UPDATE_DOCS=1";
  }
}

}  // namespace
}  // namespace orrery::cli_test
