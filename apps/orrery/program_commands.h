// SPDX-License-Identifier: Apache-2.0
//
// Commands of the program that the library does not have.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "orrery/commands/command.h"

namespace orrery::app {

using namespace orrery::commands;  // NOLINT(google-build-using-namespace)

Action add_demo(CommandOptions& command, Context& context);
Action add_doctor(CommandOptions& command, Context& context);
Action add_completion(CommandOptions& command, Context& context);
Action add_man(CommandOptions& command, Context& context);
Action add_install_files(CommandOptions& command, Context& context);

[[nodiscard]] std::vector<std::string_view> shell_names();

/// Listed before the commands of the library.
inline constexpr auto kDemoCommands = std::to_array<Command>({
    {.name = "demo",
     .group = Group::everyday,
     .summary = "Simulate one training step on two clusters, and compare them",
     .add = add_demo,
     .output = {.file =
                    "Write the web page to FILE.html, or the JSON to FILE.json ('-' for stdout)"}},
});

/// Listed after them.
inline constexpr auto kProgramCommands = std::to_array<Command>({
    {.name = "doctor",
     .group = Group::tool,
     .summary = "Check this installation, or say what a file is",
     .add = add_doctor,
     .output = {.json = true, .file = ""},
     .words = {.list = nullptr, .files = true}},
    {.name = "completion",
     .group = Group::tool,
     .summary = "Print a completion script for a shell",
     .add = add_completion,
     .output = {.json = false, .file = ""},
     .words = {.list = shell_names, .files = false}},
    {.name = "man",
     .group = Group::tool,
     .summary = "Print a manual page",
     .add = add_man,
     .output = {.json = false, .file = ""},
     .words = {.list = command_names, .files = false}},
    {.name = "install-files",
     .group = Group::hidden,
     .summary = "Write manual pages, completion scripts and schemas of a package",
     .add = add_install_files,
     .output = {.json = false, .file = ""}},
});

}  // namespace orrery::app
