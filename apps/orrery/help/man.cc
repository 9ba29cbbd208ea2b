// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "help/manual.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct ManOptions {
  std::string name;

  static constexpr auto fields =
      std::tuple{QuestionField{"name", &ManOptions::name, "COMMAND", "", kAnswer, "run",
                               "A command; without one, the program's page"}};
};

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
  const auto options = std::make_shared<ManOptions>();
  add_fields(command, *options);
  return [options, &command, &session] {
    return print_page(*command.get_parent(), options->name, session);
  };
}

}  // namespace orrery::app
