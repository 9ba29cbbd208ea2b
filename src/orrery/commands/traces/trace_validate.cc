// SPDX-License-Identifier: Apache-2.0
//
// orrery trace validate: checks files without simulating.
#include <memory>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/present/simulate/check_answer.h"
#include "orrery/study/questions/inputs/input_check.h"

namespace orrery::commands {

namespace {

int check(InputOptions& options, Context& context) {
  if (auto fine = check_input_options(options, context); !fine) return context.fail(fine.error());
  const bool cluster = options.astra() || !options.cluster.empty();
  if (!options.recorded.traces.empty() && !cluster)
    return check_recorded(options.recorded, context);
  if (options.workload.empty() && options.cluster.empty() && !options.astra()) {
    return context.fail(
        {Errc::usage, "", "nothing to check", "give a workload, a cluster, or both"});
  }
  const bool as_cluster = context.output.ends_with(".yaml") || context.output.ends_with(".yml");
  if (as_cluster && !cluster) {
    return context.fail(
        {Errc::usage, "--output", "there is no cluster to write", "give one: --cluster"});
  }
  ShownWatch watch(context);
  const study::InputCheck checked = study::check(options, watch);
  if (as_cluster) {
    const std::string path = std::exchange(context.output, "");
    if (checked.cluster) {
      const std::string text = platform::resolved_cluster(*checked.cluster);
      if (auto written = write_output(path, text, context.force); !written)
        return context.fail(written.error(), checked.findings);
    }
  }
  for (const Error& error : checked.errors) context.report_error(error);
  return context.deliver([&](report::Answer& answer) { present::state_check(answer, checked); },
                         !checked.errors.empty() ? exit_code(checked.errors.front().code)
                         : checked.ok()          ? kOk
                                                 : kSaysNo);
}

}  // namespace

Action add_trace_validate(CommandOptions& command, Context& context) {
  describe(command,
           "Exit code: 0 valid, 1 the ranks do not match, 2 a configuration is wrong, 3 a\n"
           "trace is damaged, 5 a limit was exceeded.\n"
           "\n"
           "A cluster or fabric file in place of traces is checked as such.\n"
           "\n"
           "-o FILE.yaml writes the cluster with every key, for editing.\n"
           "\n"
           "Examples:\n"
           "  orrery trace validate llama/w --cluster cluster.yaml\n"
           "  orrery trace validate --cluster h100-sxm:64 -o cluster.yaml\n"
           "  orrery trace validate --traces 'run/*.json.gz'\n");
  const auto options = std::make_shared<InputOptions>();
  add_input_options(command, *options);
  context.add_options(command);
  return [options, &context] { return check(*options, context); };
}

}  // namespace orrery::commands
