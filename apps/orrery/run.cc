// SPDX-License-Identifier: Apache-2.0
//
// orrery run: simulate a workload on a cluster.
#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "inputs.h"
#include "outcome.h"

namespace orrery::app {

namespace {

int run(InputOptions& options, Session& session) {
  Findings findings;
  auto inputs = read_inputs(options, session, findings);
  if (!inputs) return session.fail(inputs.error(), findings);
  auto outcome = simulate(*std::move(inputs), findings, session);
  if (!outcome) return session.fail(outcome.error(), findings);
  outcome->workload_name = options.workload;
  outcome->platform_name = options.astra() ? options.astra_network : options.cluster;

  const report::Style style = session.out_style();
  const auto json = [&] { return outcome_json(*outcome, "run"); };
  if (!outcome->result.stall) return session.deliver(summary_text(*outcome, style), json);
  const int code = session.deliver(stall_text(*outcome, style), json, exit_code(Errc::stall));
  session.talk_error(
      {Errc::stall, options.workload, "the simulation cannot finish",
       "the report names what never happens; 'orrery check' looks for mistakes in the traces"});
  return code;
}

}  // namespace

void add_run(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("run", "Simulate a workload on a cluster");
  command->description(
      "Simulate a workload on a cluster and say where the time goes.\n\n"
      "Examples:\n"
      "  orrery run llama/w --cluster cluster.yaml\n"
      "  orrery run --workload llama/w --astra-network net.yml --astra-system sys.json --json\n");
  const auto options = std::make_shared<InputOptions>();
  add_input_options(*command, *options);
  session.add_options(*command, true);
  command->callback([options, &session] {
    session.command = "run";
    session.action = [options, &session] { return run(*options, session); };
  });
}

}  // namespace orrery::app
