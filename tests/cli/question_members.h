// SPDX-License-Identifier: Apache-2.0
//
// The options of commands as members of questions: shared by what is generated from them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "orrery/commands/command.h"
#include "program_commands.h"

namespace orrery::cli_test {

using commands::Command;
using commands::FieldRecord;
using commands::Group;

/// What an option means, with its values and its default.
inline std::string member_comment(const FieldRecord& field) {
  std::string text = field.help;
  if (!text.ends_with('.')) text += '.';
  if (!field.modes.empty()) text += fmt::format(" Only for {}.", field.modes);
  if (!field.choices.empty() && field.choices.size() <= 12 && field.options.starts_with('-'))
    text += fmt::format(" One of {}.", fmt::join(field.choices, ", "));
  else if (field.kind.words.find(':') != std::string_view::npos)
    text += fmt::format(" A {}.", field.kind.words);
  const auto values = field.values();
  if (values.size() == 1 && !field.kind.is_list && !values.front().empty() &&
      values.front() != "false")
    text += fmt::format(" Default: {}.", values.front());
  return text;
}

/// Whether a program may set it. `seen`: names that the command has already.
inline bool is_member(const FieldRecord& field, std::set<std::string>& seen) {
  if (field.options.empty()) return false;
  const std::string key = commands::json_name(field.options);
  return !commands::is_of_terminal(key) && seen.insert(key).second;
}

/// "trace info" as "trace_info".
inline std::string function_name(std::string_view command) {
  std::string name(command);
  for (char& c : name)
    if (c == '-' || c == ' ') c = '_';
  return name;
}

/// Commands about the program itself, which the library does not have.
inline bool is_of_program(std::string_view name) {
  const auto among = [&](const auto& table) {
    return std::any_of(table.begin(), table.end(),
                       [&](const Command& command) { return command.name == name; });
  };
  return name == "ui" || among(app::kDemoCommands) || among(app::kProgramCommands);
}

/// One for each group; everyday commands and `trace validate`, which have the most options, have
/// their own.
inline std::string file_name(const Command& command) {
  if (command.group == Group::everyday || command.name == "trace validate")
    return function_name(command.name);
  const commands::GroupInfo& group = commands::describe(command.group);
  std::string name(group.word.empty() ? group.heading : group.word);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.substr(name.rfind(' ') + 1);  // "the tool": tool
}

}  // namespace orrery::cli_test
