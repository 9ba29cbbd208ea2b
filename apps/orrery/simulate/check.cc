// SPDX-License-Identifier: Apache-2.0
//
// orrery check: are these files fit to be simulated?
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "command.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/present/simulate/check_text.h"
#include "orrery/study/questions/inputs/input_check.h"
#include "progress.h"
#include "traces/recorded_traces.h"

namespace orrery::app {

namespace {

int check(InputOptions& options, Session& session) {
  if (auto fine = check_input_options(options, session); !fine) return session.fail(fine.error());
  const bool cluster = options.astra() || !options.cluster.empty();
  if (!options.recorded.traces.empty() && !cluster)
    return check_recorded(options.recorded, session);
  if (options.workload.empty() && options.cluster.empty() && !options.astra()) {
    return session.fail(
        {Errc::usage, "", "nothing to check", "give a workload, a cluster, or both"});
  }
  const bool as_cluster = session.output.ends_with(".yaml") || session.output.ends_with(".yml");
  if (as_cluster && !cluster) {
    return session.fail(
        {Errc::usage, "--output", "there is no cluster to write", "give one: --cluster"});
  }
  ShownWatch watch(session);
  const study::InputCheck checked = study::check(options, watch);
  if (as_cluster) {
    const std::string path = std::exchange(session.output, "");
    if (checked.cluster) {
      const std::string text = platform::resolved_cluster(*checked.cluster);
      if (auto written = write_output(path, text, session.force); !written)
        return session.fail(written.error(), checked.findings);
    }
  }
  for (const Error& error : checked.errors) session.talk_error(error);
  return session.deliver(
      present::check_text(checked, session.out_style()),
      [&] { return present::check_json(checked); },
      !checked.errors.empty() ? exit_code(checked.errors.front().code)
      : checked.ok()          ? kOk
                              : kSaysNo);
}

}  // namespace

Action add_check(CLI::App& command, Session& session) {
  describe(command,
           "Exit code: 0 valid, 1 the ranks do not fit together, 2 a configuration is wrong, 3\n"
           "a trace is damaged, 5 a limit was hit.\n"
           "\n"
           "A cluster or fabric file in the place of traces is checked as such.\n"
           "\n"
           "-o FILE.yaml writes the cluster with every key filled in, to be edited.\n"
           "\n"
           "Examples:\n"
           "  orrery check llama/w --cluster cluster.yaml\n"
           "  orrery check --cluster h100-sxm:64 -o cluster.yaml\n"
           "  orrery check --traces 'run/*.json.gz'\n");
  const auto options = std::make_shared<InputOptions>();
  add_input_options(command, *options);
  session.add_options(command);
  return [options, &session] { return check(*options, session); };
}

}  // namespace orrery::app
