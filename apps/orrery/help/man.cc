// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "help/manual.h"
#include "program_commands.h"
#include "session.h"

namespace orrery::app {

namespace {

struct ManOptions {
  std::string name;

  static constexpr auto fields =
      std::tuple{QuestionField{"name", &ManOptions::name, "COMMAND", "", kAnswer, "run",
                               "A command; by default the page of the program"}};
};

int print_page(const CLI::App& table, const std::string& name, const Context& context) {
  const Command* const command = name.empty() ? nullptr : find_command(name);
  if (!name.empty() && (command == nullptr || command->group == Group::hidden)) {
    return context.fail({Errc::usage, "COMMAND", fmt::format("there is no command '{}'", name),
                         "'orrery --help' lists the commands"});
  }
  return print(manual_page(table, command))
             ? kOk
             : context.fail({Errc::output_failed, "stdout", "cannot be written", ""});
}

}  // namespace

Action add_man(CommandOptions& command, Context& context) {
  describe(command,
           "The page is source for man, with the text of --help.\n"
           "\n"
           "Examples:\n"
           "  orrery man | man -l -\n"
           "  orrery man run > orrery-run.1\n");
  const auto options = std::make_shared<ManOptions>();
  add_fields(command, *options);
  return [options, &context] {
    Session session;
    return print_page(*build_table(session), options->name, context);
  };
}

}  // namespace orrery::app
