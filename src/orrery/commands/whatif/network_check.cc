// SPDX-License-Identifier: Apache-2.0
//
// orrery network check: one job on every network model.

#include "orrery/study/whatif/network_check.h"

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/whatif/network_check_answer.h"

namespace orrery::commands {

namespace {

struct NetworkCheckOptions {
  study::NetworkCheckQuestion question;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &NetworkCheckOptions::question}};
};

int network_check(NetworkCheckOptions& options, Context& context) {
  const study::Question& base = options.question.base;
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return context.fail({Errc::usage, "--model", "no job is given",
                         "--model NAME and a plan, --spec FILE, --traces FILES, or traces"});
  ShownWatch watch(context);
  const auto check = study::check_networks(options.question, watch);
  if (!check) return context.fail(check.error());
  if (context.output.ends_with(".csv")) {
    const std::string path = std::exchange(context.output, "");
    if (auto done = write_output(path, study::network_check_csv(*check), context.force); !done)
      return context.fail(done.error());
  }
  return context.deliver(
      [&](report::Answer& answer) { present::state_network_check(answer, *check); });
}

}  // namespace

Action add_network_check(CommandOptions& command, Context& context) {
  describe(command,
           "Simulates the job with each network model, and compares the cheaper ones with\n"
           "the most detailed one. Use a job and a cluster of some ten devices: packets are\n"
           "the most expensive.\n"
           "\n"
           "Examples:\n"
           "  orrery network check --model llama-3.1-8b --tp 4 --dp 2 --cluster cluster.yaml\n"
           "  orrery network check relay.cm --cluster fabric.yaml -o errors.csv\n");
  Action action = action_with_options(command, context, network_check);
  command.field("PREFIX").is_advanced = false;
  return action;
}

}  // namespace orrery::commands
