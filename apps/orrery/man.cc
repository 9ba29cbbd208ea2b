// SPDX-License-Identifier: Apache-2.0
//
// orrery man: a manual page, and what packages install: all of them, completion and schemas.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "arguments.h"
#include "completion.h"
#include "manual.h"
#include "orrery/core/whole_file.h"
#include "schema.h"

namespace orrery::app {

namespace {

namespace fs = std::filesystem;

/// The program and its commands, without hidden ones.
std::vector<const CLI::App*> pages_of(const CLI::App& table) {
  std::vector<const CLI::App*> pages = {&table};
  for (const CLI::App* command : table.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) pages.push_back(command);
  return pages;
}

int print_page(const CLI::App& table, const std::string& name, const Session& session) {
  const auto pages = pages_of(table);
  const auto page = std::find_if(pages.begin(), pages.end(), [&](const CLI::App* one) {
    return name.empty() ? one == &table : one->get_name() == name;
  });
  if (page == pages.end()) {
    return session.fail({Errc::usage, "COMMAND", fmt::format("there is no command '{}'", name),
                         "'orrery --help' lists the commands"});
  }
  return print(manual_page(table, **page))
             ? kOk
             : session.fail({Errc::output_failed, "stdout", "cannot be written", ""});
}

/// Below `folder`, which becomes /usr/share.
Result<void> write_files(CLI::App& table, const fs::path& folder) {
  const auto write = [&](const fs::path& path, const std::string& text) {
    return write_whole((folder / path).string(), text, {.force = true, .one_of_many = true});
  };
  for (const CLI::App* page : pages_of(table)) {
    const fs::path path = fs::path("man/man1") / manual_name(table, *page);
    if (auto done = write(path, manual_page(table, *page)); !done) return done;
  }
  for (const Shell& shell : kShells)
    if (auto done = write(shell.place, completion_script(table, shell.name)); !done) return done;
  for (const SchemaFile& schema : schema_files()) {
    const fs::path path = fmt::format("orrery/schemas/{}.schema.json", schema.format);
    if (auto done = write(path, schema_text(schema)); !done) return done;
  }
  return {};
}

}  // namespace

void add_man(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("man", "Print a manual page");
  command->description(
      "Print a manual page, as source for man. It has what --help prints.\n\n"
      "Examples:\n"
      "  orrery man | man -l -\n"
      "  orrery man run > orrery-run.1\n");
  const auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "A command; without one, the program's page")
      ->type_name("");
  command->callback([name, &session, &table] {
    session.command = "man";
    session.action = [name, &session, &table] { return print_page(table, *name, session); };
  });

  CLI::App* files = table.add_subcommand(
      "install-files", "Write manual pages, completion scripts and schemas for a package");
  files->group("");  // hidden: for the build system
  const auto folder = std::make_shared<std::string>();
  files->add_option("FOLDER", *folder, "What becomes /usr/share")->required()->type_name("");
  files->callback([folder, &session, &table] {
    session.command = "install-files";
    session.action = [folder, &session, &table] {
      const auto done = write_files(table, *folder);
      return done ? kOk : session.fail(done.error());
    };
  });
}

}  // namespace orrery::app
