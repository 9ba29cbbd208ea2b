// SPDX-License-Identifier: Apache-2.0
//
// orrery trace anonymize: writes Chakra traces that can be shared.
#include <filesystem>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/intake/edit/obfuscate.h"
#include "orrery/present/traces/cut_obfuscate_answer.h"
#include "orrery/trace/io/trace_prefix.h"

namespace orrery::commands {

namespace {

struct ObfuscateArguments {
  std::string from, salt;

  static constexpr auto fields = std::tuple{
      QuestionField{"from", &ObfuscateArguments::from, "PREFIX", "", kAnswer, "w",
                    "Traces PREFIX.0.et …, or one file"},
      QuestionField{"salt", &ObfuscateArguments::salt, "--salt", "TEXT", kAnswer, "kept secret",
                    "Equal names stay equal in all traces with this salt; keep it secret"}};
};

int obfuscate(const ObfuscateArguments& arguments, Context& context) {
  const std::string to = std::exchange(context.output, "");
  if (arguments.from.empty() || to.empty())
    return context.fail({Errc::usage, "", "needs a trace and --output",
                         "orrery trace anonymize chakra/w -o public/w"});
  if (study::is_recorded_traces({arguments.from}))
    return context.fail({Errc::input_unsupported, arguments.from,
                         "is a recorded trace; only Chakra traces can be obfuscated",
                         "convert it first: 'orrery trace convert'"});
  std::error_code ignored;
  const bool one = std::filesystem::is_regular_file(arguments.from, ignored);
  const auto free =
      one ? check_absent(to, context.force) : trace::check_prefix_unused(to, context.force);
  if (!free) return context.fail(free.error());
  Findings findings;
  const auto report =
      intake::obfuscate(arguments.from, to, arguments.salt, context.force, findings);
  if (!report) return context.fail(report.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_obfuscate(answer, *report, to, findings); });
}

}  // namespace

Action add_trace_anonymize(CommandOptions& command, Context& context) {
  describe(command,
           "Only what a simulation needs remains: the graph, durations, types and sizes (two\n"
           "digits). Names become numbers, or keyed hashes with --salt; shapes, schemas,\n"
           "names of process groups and everything else are left out. Reports which names\n"
           "could still be recovered.\n"
           "\n"
           "Examples:\n"
           "  orrery trace anonymize chakra/w -o public/w\n"
           "  orrery trace anonymize w.0.et --salt 'kept secret' -o public.0.et\n");
  return action_with_options(command, context, obfuscate);
}

}  // namespace orrery::commands
