// SPDX-License-Identifier: Apache-2.0
//
// orrery critical-path: prints the critical path of a run.
#include "orrery/analysis/critical_path/critical_path.h"

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/present/results/critical_path_answer.h"
#include "orrery/result/run_file.h"

namespace orrery::commands {

namespace {

struct PathOptions {
  std::string file;
  bool all = false;

  static constexpr auto fields =
      std::tuple{QuestionField{"file", &PathOptions::file, "RUN", "", kAnswer, "b.orrery",
                               "A run file ('orrery run ... -o RUN.orrery')"}
                     .required(),
                 QuestionField{"all", &PathOptions::all, "--all", "", kNothing, "true",
                               "Show every segment in order of time, not only the longest"}};
};

int critical_path(const PathOptions& options, Context& context) {
  const auto run = result::read_run(options.file);
  if (!run) return context.fail(run.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_critical_path(answer, *run, options.all); });
}

}  // namespace

Action add_critical_path(CommandOptions& command, Context& context) {
  describe(command,
           "Prints the chain of work, transfers and waits, across ranks, that determines the\n"
           "end of the slowest rank. It covers every picosecond of the step.\n"
           "\n"
           "Examples:\n"
           "  orrery critical-path step.orrery\n"
           "  orrery critical-path step.orrery --all --json\n");
  return action_with_options(command, context, critical_path);
}

}  // namespace orrery::commands
