// SPDX-License-Identifier: Apache-2.0
//
// orrery trace slice: cuts an iteration, a time window or some ranks out of traces.
#include <fmt/format.h>

#include <optional>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/options/rank_list.h"
#include "orrery/intake/edit/cut_files.h"
#include "orrery/present/traces/cut_obfuscate_answer.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct CutArguments {
  std::vector<std::string> traces;
  std::optional<std::int64_t> iteration;
  std::optional<Time> from, to;
  std::string ranks;

  static constexpr auto fields = std::tuple{
      QuestionField{"traces", &CutArguments::traces, "TRACES", "", kAnswer, "other.json.gz",
                    "Files or patterns"},
      QuestionField{"iteration", &CutArguments::iteration, "--iteration", "N", kAnswer, "1",
                    "Number of the iteration, the N of ProfilerStep#N"},
      QuestionField{"from", &CutArguments::from, "--from", "TIME", kAnswer, "1 ms",
                    "Begin, from the first recorded time on: '1.5 ms'"},
      QuestionField{"to", &CutArguments::to, "--to", "TIME", kAnswer, "2 ms", "End, exclusive"},
      QuestionField{"ranks", &CutArguments::ranks, "--ranks", "LIST", kAnswer, "0",
                    "Only these ranks: 0,4-7"}};
};

Result<intake::CutOptions> cut_options(const CutArguments& arguments) {
  intake::CutOptions options;
  if (arguments.iteration) {
    if (*arguments.iteration < 0)
      return fail(Errc::usage, "--iteration",
                  fmt::format("there is no iteration {}", *arguments.iteration));
    options.iteration = *arguments.iteration;
  }
  options.from = arguments.from;
  options.to = arguments.to;
  if (!options.iteration && !options.from && !options.to && arguments.ranks.empty())
    return fail(Errc::usage, "", "nothing to cut", "give --iteration, --from and --to, or --ranks");
  return options;
}

int cut(const CutArguments& arguments, Context& context) {
  const std::string output = std::exchange(context.output, "");
  if (arguments.traces.empty() || output.empty())
    return context.fail({Errc::usage, "", "needs a trace and --output",
                         "orrery trace slice trace.json.gz --iteration 2 -o step.json.gz"});
  auto options = cut_options(arguments);
  if (!options) return context.fail(options.error());
  options->force = context.force;
  const auto ranks = parse_ranks(arguments.ranks);
  if (!ranks) return context.fail(ranks.error());
  Findings findings;
  const auto pieces = intake::cut_files(arguments.traces, *ranks, *options, output, findings);
  if (!pieces) return context.fail(pieces.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_cut(answer, *pieces, findings); });
}

}  // namespace

Action add_trace_slice(CommandOptions& command, Context& context) {
  describe(command,
           "The result has the format of its source: Kineto, a PyTorch execution trace, or\n"
           "Chakra.\n"
           "Work on the device stays with the call that launched it.\n"
           "\n"
           "Examples:\n"
           "  orrery trace slice rank0.json.gz --iteration 12 -o step12.json.gz\n"
           "  orrery trace slice 'run/*.json.gz' --ranks 0,4-7 --from '1 s' --to '2 s' -o part/\n");
  return action_with_options(command, context, cut);
}

}  // namespace orrery::commands
