// SPDX-License-Identifier: Apache-2.0
//
// orrery run: simulate a workload on a cluster.
#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "inputs.h"
#include "outcome.h"
#include "recording.h"
#include "work_options.h"

namespace orrery::app {

namespace {

/// --output names a run file or a JSON file; --spans is about the former.
Result<void> settle_output(const StreamOptions& stream, RecordOptions& record, Session& session) {
  const auto run_file = names_run_file(session.output);
  if (!run_file) return tl::unexpected(run_file.error());
  if (*run_file) std::swap(record.path, session.output);
  if (stream.given() && !record.path.empty()) {
    return fail(Errc::usage, "--stream",
                "a run file says when every node ran, and that is not kept",
                "leave --stream out, or write the result alone: -o FILE.json");
  }
  if (record.spans.empty()) {
    record.spans = "all";
  } else if (record.path.empty()) {
    return fail(Errc::usage, "--spans", "there is no run file to keep them in", "-o FILE.orrery");
  }
  return one_of("--spans", record.spans, {"all", "critical", "none"});
}

int run(InputOptions& options, RecordOptions& record, WorkOptions& work, bool all,
        Session& session) {
  if (auto fine = settle_output(options.stream, record, session); !fine)
    return session.fail(fine.error());
  if (options.recorded.threads) work.threads = *options.recorded.threads;
  if (auto fine = check_work_options(work); !fine) return session.fail(fine.error());
  Findings findings;
  auto inputs = read_inputs(options, session, findings);
  if (!inputs) return session.fail(inputs.error(), findings);
  auto outcome = simulate(*std::move(inputs), findings, session, work, !record.path.empty());
  if (!outcome) return session.fail(outcome.error(), findings);
  outcome->workload_name = options.name();
  outcome->platform_name = options.astra() ? options.astra_network : options.cluster;

  Result<void> written;
  if (!record.path.empty()) written = write_run_file(*outcome, options, record, session);
  const report::Style style = session.out_style();
  const auto json = [&] { return outcome_json(*outcome, "run"); };
  const bool stalled = outcome->result.stall.has_value();
  const bool wrong = outcome->verified && outcome->verified->difference;
  int code = wrong ? kSaysNo : stalled ? exit_code(Errc::stall) : kOk;
  code = session.deliver(stalled ? stall_text(*outcome, style) : summary_text(*outcome, style, all),
                         json, code);
  if (stalled) {
    session.talk_error(
        {Errc::stall, options.name(), "the simulation cannot finish",
         "the report names what never happens; 'orrery check' looks for mistakes in the traces"});
  }
  if (written) return code;
  session.talk_error(written.error());
  return exit_code(written.error().code);
}

}  // namespace

void add_run(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("run", "Simulate a workload on a cluster");
  command->description(
      "Simulate a workload on a cluster and say where the time goes. The workload is traces on "
      "disk,\n"
      "recorded or Chakra, or a model and a plan (see 'orrery generate').\n\n"
      "Examples:\n"
      "  orrery run llama/w --cluster cluster.yaml -o step.orrery\n"
      "  orrery run --model llama-3.1-8b --tp 4 --dp 2 --cluster cluster.yaml\n");
  const auto options = std::make_shared<InputOptions>();
  const auto record = std::make_shared<RecordOptions>();
  record->spans.clear();
  add_input_options(*command, *options);
  add_stream_option(*command, options->stream);
  add_spec_options(*command, options->spec, false);
  const auto work = std::make_shared<WorkOptions>();
  add_work_options(*command, *work);
  command->get_option("--threads")
      ->description(
          "Threads to read and to simulate with (0: all cores). By default all read, one "
          "simulates");
  session.add_options(*command, true);
  command->get_option("--output")
      ->description(
          "Write the whole run to FILE.orrery, or the JSON to FILE.json ('-' for stdout)");
  command
      ->add_option("--spans", record->spans,
                   "Which spans the run file keeps: all, critical or none")
      ->type_name("WHICH")
      ->group("Output");
  const auto all = std::make_shared<bool>(false);
  command->add_flag("--all", *all, "Show every kind of communication")->group("Output");
  command->callback([options, record, work, all, &session] {
    session.command = "run";
    session.action = [options, record, work, all, &session] {
      return run(*options, *record, *work, *all, session);
    };
  });
}

}  // namespace orrery::app
