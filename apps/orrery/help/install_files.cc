// SPDX-License-Identifier: Apache-2.0
//
// orrery install-files: writes files that packages install, for the build system.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "arguments.h"
#include "help/completion.h"
#include "help/manual.h"
#include "orrery/commands/schema/schema.h"
#include "orrery/core/system/atomic_file.h"
#include "program_commands.h"
#include "session.h"

namespace orrery::app {

namespace {

namespace fs = std::filesystem;

/// Below `folder`, which becomes /usr/share.
Result<void> write_files(const fs::path& folder) {
  Session session;
  const auto table = build_table(session);
  const auto write = [&](const fs::path& path, const std::string& text) {
    return write_file_atomically((folder / path).string(), text,
                                 {.force = true, .skip_sync = true});
  };
  const auto write_page = [&](const Command* command) {
    return write(fs::path("man/man1") / manual_name(command), manual_page(*table, command));
  };
  if (auto done = write_page(nullptr); !done) return done;
  for (const Command& command : all_commands()) {
    if (command.group == Group::hidden) continue;
    if (auto done = write_page(&command); !done) return done;
  }
  for (const Shell& shell : kShells)
    if (auto done = write(shell.place, completion_script(*table, shell.name)); !done) return done;
  for (const SchemaFile& schema : schema_files()) {
    const fs::path path = fmt::format("orrery/schemas/{}.schema.json", schema.format);
    if (auto done = write(path, schema_text(schema, session)); !done) return done;
  }
  return {};
}

struct InstallOptions {
  std::string folder;

  static constexpr auto fields =
      std::tuple{QuestionField{"folder", &InstallOptions::folder, "FOLDER", "", kNothing, "other",
                               "Folder that becomes /usr/share"}
                     .required()};
};

}  // namespace

Action add_install_files(CommandOptions& command, Context& context) {
  const auto options = std::make_shared<InstallOptions>();
  add_fields(command, *options);
  return [options, &context] {
    const auto done = write_files(options->folder);
    return done ? kOk : context.fail(done.error());
  };
}

}  // namespace orrery::app
