// SPDX-License-Identifier: Apache-2.0
//
// orrery stragglers: what made others wait.
#include "orrery/study/stragglers.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
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

Action add_stragglers(CLI::App& command, Session& session) {
  describe(command,
           "Also shows what they cost. Everything is compared with its peers (ranks with the\n"
           "same work, groups of the same size), corrected alone, and the step is simulated\n"
           "again. How often the worst was the slowest shows whether that is chance.\n"
           "\n"
           "Examples:\n"
           "  orrery stragglers 'trace/rank*.json.gz'\n"
           "  orrery stragglers --model llama-3.1-8b --tp 4 --cluster cluster.yaml\n");
  const auto options = std::make_shared<StragglersOptions>();
  study::StragglersQuestion& question = options->question;
  command
      .add_option("TRACES", options->paths,
                  "Recorded traces of several ranks, or the prefix of Chakra traces with times")
      ->type_name("");
  command
      .add_option("--steps", question.steps,
                  "How many steps the traces hold; by default as many as repeat")
      ->type_name("N");
  command
      .add_option("--least", question.least, "Do not name what wins a smaller share of the whole")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      .add_option("--most", question.most,
                  "Try so many of the worst ranks, classes of kernels, and links")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--cluster", question.base.cluster, "Simulate on this cluster first")
      ->type_name("FILE");
  command.add_option("--groups", question.base.groups, "Process groups of Chakra traces")
      ->type_name("FILE");
  add_recorded_options(command, question.base.recorded);
  add_spec_options(command, question.base.job, false);
  session.add_options(command);
  return [options, &session] { return stragglers(*options, session); };
}

}  // namespace orrery::app
