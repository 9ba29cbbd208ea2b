// SPDX-License-Identifier: Apache-2.0
//
// orrery network compare: one job on several networks.

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/progress.h"
#include "orrery/present/whatif/network_compare_answer.h"
#include "orrery/study/whatif/network_comparison.h"

namespace orrery::commands {

namespace {

struct NetworkCompareOptions {
  study::NetworkComparisonQuestion question;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &NetworkCompareOptions::question}};
};

int network_compare(NetworkCompareOptions& options, Context& context) {
  const study::Question& base = options.question.base;
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return context.fail({Errc::usage, "--model", "no job is given",
                         "--model NAME and a plan, --spec FILE, or --traces FILES"});
  const auto comparison = study::compare_networks(options.question);
  if (!comparison) return context.fail(comparison.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_network_comparison(answer, *comparison); });
}

}  // namespace

Action add_network_compare(CommandOptions& command, Context& context) {
  describe(command,
           "Each network is a cluster (a file, or a name of the catalog), or changes of the\n"
           "links of the first one: DIM=RATE, DIM=LATENCY, DIM=LINK. DIM is inter (between\n"
           "nodes), intra (in nodes) or the number of a dimension. Columns are named by what\n"
           "differs.\n"
           "\n"
           "Examples:\n"
           "  orrery network compare h100-sxm:64 inter=25GB/s --model llama-3.1-8b --tp 4\n"
           "  orrery network compare ib.yaml roce.yaml --spec job.yaml --price 2.5 --price 2.3\n");
  return action_with_options(command, context, network_compare);
}

}  // namespace orrery::commands
