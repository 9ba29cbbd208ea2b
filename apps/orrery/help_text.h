// SPDX-License-Identifier: Apache-2.0
//
// The text of --help: of the program, of a group of commands, and of a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table_command.h"

namespace orrery::app {

/// No line of --help is longer, in columns.
inline constexpr std::size_t kHelpWidth = 100;

/// The description of a command, in parts.
struct HelpParts {
  std::vector<std::string> text;      ///< lines before and after the examples; may be empty
  std::vector<std::string> examples;  ///< indented lines
};
/// `description` consists of the summary, text, and lines after "Examples:".
[[nodiscard]] HelpParts help_parts(std::string_view description);

/// The summary of the program and examples, in the form of a command's description.
[[nodiscard]] std::string program_description();

/// The description and all commands by group.
[[nodiscard]] std::string program_help();

/// The commands of a group: `orrery trace --help`.
[[nodiscard]] std::string group_help(Group group);

/// The examples of a command, its description and its options; `all`: also the advanced options.
[[nodiscard]] std::string command_help(const TableCommand& command, bool all);

/// The exit codes with their meaning, one per line.
[[nodiscard]] std::string exit_code_help();

}  // namespace orrery::app
