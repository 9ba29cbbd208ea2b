// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/simulate/run_variability.h"

#include <algorithm>

#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/simulate/run_variability_answer.h"

namespace orrery::commands {

void add_variability_options(CommandOptions& command, VariabilityOptions& options) {
  add_fields(command, options);
}

Result<void> complete_variability_options(const CommandOptions& command,
                                          VariabilityOptions& options) {
  const auto typed = [&](const char* name) { return command.is_given(name); };
  if (!options.given()) {
    for (const char* name :
         {"--draws", "--seed", "--same-fleet", "--simulate-draws", "--verify-draws", "--plot"})
      if (typed(name))
        return fail(Errc::usage, name, "is only for --variability",
                    "orrery run ... --variability training-64k");
    return {};
  }
  for (const char* name :
       {"--effects", "--verify-fold", "--open", "--all", "--spans", "--price", "--power"})
    if (typed(name))
      return fail(Errc::usage, name, "applies to one run, and --variability simulates many",
                  "leave it out");
  if (options.question.simulate && typed("--verify-draws"))
    return fail(Errc::usage, "--verify-draws",
                "has no effect: --simulate-draws simulates every draw", "leave it out");
  study::VariabilityQuestion& question = options.question;
  if (!typed("--verify-draws") && question.draws > 0)
    question.verify = std::min(question.verify, question.draws);
  return {};
}

int run_variability(const InputOptions& inputs, VariabilityOptions& options, Context& context) {
  if (context.output.ends_with(".orrery") || context.output.ends_with(".html"))
    return context.fail(
        {Errc::usage, "--output",
         "a run file or a web page contains one run, and --variability simulates many",
         "-o FILE.json stores the figures"});
  options.question.base = inputs;
  options.question.base.record = false;
  options.question.base.work.brief_names = true;
  ShownWatch watch(context);
  const auto result = study::sample_steps(options.question, watch);
  watch.phase_done();
  if (!result) return context.fail(result.error());
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::variability_svg(*result), context.force);
        !done)
      return context.fail(done.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_variability(answer, *result); });
}

}  // namespace orrery::commands
