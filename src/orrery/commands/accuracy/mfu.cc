// SPDX-License-Identifier: Apache-2.0
//
// orrery mfu: compares a measured step with its prediction and with published steps.
#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/present/accuracy/mfu_answer.h"
#include "orrery/validate/mfu_comparison.h"

namespace orrery::commands {

namespace {

int mfu(validate::MfuQuestion& question, Context& context) {
  ShownWatch watch(context);
  const auto compared = validate::compare_mfu(question, watch);
  watch.phase_done();
  if (!compared) return context.fail(compared.error());
  return context.deliver([&](report::Answer& answer) { present::state_mfu(answer, *compared); });
}

}  // namespace

Action add_mfu(CommandOptions& command, Context& context) {
  describe(command,
           "Is your MFU good? Compares a measured step with the predicted one, and its MFU\n"
           "with published steps of the same GPU. Prints the three largest losses that\n"
           "another plan can avoid, and the time that no model explains.\n"
           "\n"
           "Examples:\n"
           "  orrery mfu --model llama-3.1-8b --tp 2 --cluster h100-sxm:8 --measured 4.1s\n"
           "  orrery mfu --model gpt3-175b --tp 8 --pp 8 --cluster a100-80gb:1024 \\\n"
           "      --measured-mfu 44%\n");
  return action_with_options(command, context, mfu);
}

}  // namespace orrery::commands
