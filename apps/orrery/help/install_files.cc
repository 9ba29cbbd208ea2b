// SPDX-License-Identifier: Apache-2.0
//
// orrery install-files: what packages install, for the build system.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command.h"
#include "help/completion.h"
#include "help/manual.h"
#include "help/schema.h"
#include "orrery/core/system/atomic_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

namespace fs = std::filesystem;

/// Below `folder`, which becomes /usr/share.
Result<void> write_files(const CLI::App& table, const fs::path& folder) {
  const auto write = [&](const fs::path& path, const std::string& text) {
    return write_file_atomically((folder / path).string(), text,
                                 {.force = true, .skip_sync = true});
  };
  const auto write_page = [&](const Command* command) {
    return write(fs::path("man/man1") / manual_name(command), manual_page(table, command));
  };
  if (auto done = write_page(nullptr); !done) return done;
  for (const Command& command : commands()) {
    if (command.group == Group::hidden) continue;
    if (auto done = write_page(&command); !done) return done;
  }
  for (const Shell& shell : kShells)
    if (auto done = write(shell.place, completion_script(table, shell.name)); !done) return done;
  for (const SchemaFile& schema : schema_files()) {
    const fs::path path = fmt::format("orrery/schemas/{}.schema.json", schema.format);
    if (auto done = write(path, schema_text(schema, table)); !done) return done;
  }
  return {};
}

struct InstallOptions {
  std::string folder;

  static constexpr auto fields = std::tuple{QuestionField{
      "folder", &InstallOptions::folder, "FOLDER", "", kNothing, "other", "What becomes /usr/share"}
                                                .required()};
};

}  // namespace

Action add_install_files(CLI::App& command, Session& session) {
  const auto options = std::make_shared<InstallOptions>();
  add_fields(command, *options);
  return [options, &command, &session] {
    const auto done = write_files(*command.get_parent(), options->folder);
    return done ? kOk : session.fail(done.error());
  };
}

}  // namespace orrery::app
