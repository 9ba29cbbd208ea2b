// SPDX-License-Identifier: Apache-2.0
//
// orrery stragglers: what made others wait.
#include "orrery/study/stragglers.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "inputs.h"
#include "orrery/present/stragglers_text.h"
#include "progress.h"

namespace orrery::app {

namespace {

struct StragglersOptions {
  study::StragglersQuestion question;
  std::vector<std::string> paths;
};

int stragglers(StragglersOptions& options, Session& session) {
  study::Question& base = options.question.base;
  take_paths(options.paths, base);
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return session.fail(
        {Errc::usage, "TRACES", "nothing to look at", "orrery stragglers TRACE ..."});
  ShownWatch watch(session);
  const auto answer = study::stragglers(options.question, watch);
  watch.through();
  if (!answer) return session.fail(answer.error());
  return session.deliver(present::stragglers_text(*answer, session.out_style()),
                         [&] { return present::stragglers_json(*answer); });
}

}  // namespace

void add_stragglers(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand(
      "stragglers", "Say which rank, kernels or link made others wait, and what that cost");
  command->description(
      "Say which rank, kernels or link made others wait, and what that cost. Everything is held\n"
      "against its peers (ranks that do the same, groups of the same size), put right alone, and\n"
      "the step is played again. How often the worst was the slowest says whether that is luck.\n\n"
      "Examples:\n"
      "  orrery stragglers 'trace/rank*.json.gz'\n"
      "  orrery stragglers --model llama-3.1-8b --tp 4 --cluster cluster.yaml\n");
  const auto options = std::make_shared<StragglersOptions>();
  study::StragglersQuestion& question = options->question;
  command
      ->add_option("TRACES", options->paths,
                   "Recorded traces of several ranks, or the prefix of Chakra traces with times")
      ->type_name("");
  command
      ->add_option("--steps", question.steps,
                   "How many steps the traces hold; by default as many as repeat")
      ->type_name("N");
  command
      ->add_option("--least", question.least, "Do not name what wins a smaller share of the whole")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--most", question.most,
                   "Try so many of the worst ranks, classes of kernels, and links")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--cluster", question.base.cluster, "Simulate on this cluster first")
      ->type_name("FILE");
  command->add_option("--groups", question.base.groups, "Process groups of Chakra traces")
      ->type_name("FILE");
  add_recorded_options(*command, question.base.recorded);
  add_spec_options(*command, question.base.job, false);
  session.add_options(*command, true);
  command->callback([options, &session] {
    session.command = "stragglers";
    session.action = [options, &session] { return stragglers(*options, session); };
  });
}

}  // namespace orrery::app
