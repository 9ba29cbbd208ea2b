// SPDX-License-Identifier: Apache-2.0
//
// orrery critical-path: what the length of the step hangs on.
#include "orrery/analysis/critical_path/critical_path.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "orrery/present/results/critical_path_text.h"
#include "orrery/result/run_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct PathOptions {
  std::string file;
  bool all = false;

  static constexpr auto fields =
      std::tuple{QuestionField{"file", &PathOptions::file, "RUN", "", kAnswer, "b.orrery",
                               "A run file ('orrery run ... -o RUN.orrery')"}
                     .required(),
                 QuestionField{"all", &PathOptions::all, "--all", "", kNothing, "true",
                               "Every segment in order of time, not only the longest"}};
};

int critical_path(const PathOptions& options, Session& session) {
  const auto run = result::read_run(options.file);
  if (!run) return session.fail(run.error());
  return session.deliver(present::critical_path_text(*run, options.all, session.out_style()),
                         [&] { return present::critical_path_json(*run, options.all); });
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
  const auto options = std::make_shared<PathOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return critical_path(*options, session); };
}

}  // namespace orrery::app
