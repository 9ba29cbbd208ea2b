// SPDX-License-Identifier: Apache-2.0
//
// orrery goodput: the share of time that trains when devices and nodes fail.
#include "orrery/study/goodput/goodput.h"

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/progress.h"
#include "orrery/present/simulate/goodput_answer.h"

namespace orrery::commands {

namespace {

int goodput(study::GoodputQuestion& question, Context& context) {
  Findings findings;
  ShownWatch watch(context);
  const auto made = study::predict_goodput(question, watch, findings);
  watch.phase_done();
  if (!made) return context.fail(made.error(), findings);
  const bool late = made->budget && made->budget->late();
  return context.deliver([&](report::Answer& answer) { present::state_goodput(answer, *made); },
                         late ? kSaysNo : kOk);
}

}  // namespace

Action add_goodput(CommandOptions& command, Context& context) {
  describe(
      command,
      "A failure stops the job: it restarts from its last checkpoint and repeats the work since\n"
      "then. Failure rates, storage and restart time are published ones by default\n"
      "(docs/goodput.md).\n"
      "\n"
      "Examples:\n"
      "  orrery goodput --model llama-3.1-405b --tp 8 --pp 16 --cluster h100-sxm:16384 \\\n"
      "      --tokens 15.6e12 --price 2.5\n"
      "  orrery goodput --step 4.5s --checkpoint-size 5.7TB --cluster h100-sxm:16384\n");
  return action_with_options(command, context, goodput);
}

}  // namespace orrery::commands
