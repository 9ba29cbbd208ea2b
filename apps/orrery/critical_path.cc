// SPDX-License-Identifier: Apache-2.0
//
// orrery critical-path: what the length of the step hangs on.
#include "orrery/analysis/critical_path.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "orrery/present/path_text.h"
#include "orrery/result/run_file.h"

namespace orrery::app {

namespace {

int critical_path(const std::string& file, bool all, Session& session) {
  const auto run = result::read_run(file);
  if (!run) return session.fail(run.error());
  return session.deliver(present::path_text(*run, all, session.out_style()),
                         [&] { return present::path_json(*run, all); });
}

}  // namespace

Action add_critical_path(CLI::App& command, Session& session) {
  describe(command,
           "The chain of work, transfers and waits, across ranks, that leads to the end of the\n"
           "slowest one. Every picosecond of the step is on it.\n"
           "\n"
           "Examples:\n"
           "  orrery critical-path step.orrery\n"
           "  orrery critical-path step.orrery --all --json\n");
  const auto file = std::make_shared<std::string>();
  const auto all = std::make_shared<bool>(false);
  command.add_option("RUN", *file, "A run file ('orrery run ... -o RUN.orrery')")
      ->required()
      ->type_name("");
  command.add_flag("--all", *all, "Every segment in order of time, not only the longest");
  session.add_options(command);
  return [file, all, &session] { return critical_path(*file, *all, session); };
}

}  // namespace orrery::app
