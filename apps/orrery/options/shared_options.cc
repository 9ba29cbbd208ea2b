// SPDX-License-Identifier: Apache-2.0
#include "options/input_options.h"
#include "question_options.h"

namespace orrery::app {

void take_paths(const std::vector<std::string>& paths, study::Question& question) {
  if (paths.size() == 1 && !study::is_recorded_traces(paths)) {
    question.workload = paths.front();
  } else {
    auto& traces = question.recorded.traces;
    traces.insert(traces.end(), paths.begin(), paths.end());
  }
}

void add_recorded_options(CLI::App& command, RecordedTraces& options) {
  add_fields(command, options);
}

void add_spec_options(CLI::App& command, study::JobDescription& job, bool positional) {
  add_fields(command, job);
  if (!positional) return;
  CLI::Option* const option = command.get_option("--spec");
  command.add_option("SPEC", job.spec, option->get_description())->type_name("");
  option->description("The same as an option");
}

void add_work_options(CLI::App& command, study::ExecutionOptions& work) {
  add_fields(command, work);
}

}  // namespace orrery::app
