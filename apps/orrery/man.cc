// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "manual.h"

namespace orrery::app {

namespace {

int print_page(const CLI::App& table, const std::string& name, const Session& session) {
  const Command* const command = name.empty() ? nullptr : find_command(name);
  if (!name.empty() && (command == nullptr || command->group == Group::hidden)) {
    return session.fail({Errc::usage, "COMMAND", fmt::format("there is no command '{}'", name),
                         "'orrery --help' lists the commands"});
  }
  return print(manual_page(table, command))
             ? kOk
             : session.fail({Errc::output_failed, "stdout", "cannot be written", ""});
}

}  // namespace

Action add_man(CLI::App& command, Session& session) {
  describe(command,
           "The page is source for man, with the text of --help.\n"
           "\n"
           "Examples:\n"
           "  orrery man | man -l -\n"
           "  orrery man run > orrery-run.1\n");
  const auto name = std::make_shared<std::string>();
  command.add_option("COMMAND", *name, "A command; without one, the program's page")->type_name("");
  return [name, &command, &session] { return print_page(*command.get_parent(), *name, session); };
}

}  // namespace orrery::app
