// SPDX-License-Identifier: Apache-2.0
//
// orrery trace stragglers: finds ranks, kernels and links that delay others.

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/present/whatif/stragglers_answer.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/stragglers/straggler_search.h"

namespace orrery::commands {

namespace {

struct StragglersOptions {
  std::vector<std::string> paths;
  study::StragglersQuestion question;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &StragglersOptions::paths, "TRACES", "", kAnswer, "other.json.gz",
                    "Recorded traces of several ranks, or the prefix of Chakra traces with times"},
      QuestionStruct{"question", &StragglersOptions::question}};
};

int stragglers(StragglersOptions& options, Context& context) {
  study::Question& base = options.question.base;
  take_paths(options.paths, base);
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return context.fail(
        {Errc::usage, "TRACES", "no traces are given", "orrery trace stragglers TRACE ..."});
  ShownWatch watch(context);
  const auto found = study::stragglers(options.question, watch);
  watch.phase_done();
  if (!found) return context.fail(found.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_stragglers(answer, *found); });
}

}  // namespace

Action add_trace_stragglers(CommandOptions& command, Context& context) {
  describe(command,
           "Also shows their cost: compares each with its peers (ranks with the same work,\n"
           "groups of the same size), sets it alone to their level, and simulates the step\n"
           "again. A test shows whether it is the slowest by chance.\n"
           "\n"
           "Examples:\n"
           "  orrery trace stragglers 'trace/rank*.json.gz'\n"
           "  orrery trace stragglers --model llama-3.1-8b --tp 4 --cluster cluster.yaml\n");
  return action_with_options(command, context, stragglers);
}

}  // namespace orrery::commands
