// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

void take_paths(const std::vector<std::string>& paths, study::Question& question) {
  if (paths.size() == 1 && !study::is_recorded_traces(paths)) {
    question.workload = paths.front();
  } else {
    auto& traces = question.recorded.traces;
    traces.insert(traces.end(), paths.begin(), paths.end());
  }
}

void add_recorded_options(CommandOptions& command, RecordedTraces& options) {
  add_fields(command, options);
}

void add_spec_options(CommandOptions& command, study::JobDescription& job, bool positional) {
  add_fields(command, job);
  if (!positional) return;
  FieldRecord& option = command.field("--spec");
  command.extras.push_back(
      {.names = "SPEC", .help = option.help, .group = "Options", .value = &job.spec});
  option.help = "Same as the argument SPEC";
}

void add_work_options(CommandOptions& command, study::ExecutionOptions& work) {
  add_fields(command, work);
}

}  // namespace orrery::commands
