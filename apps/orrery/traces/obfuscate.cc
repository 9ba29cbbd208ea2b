// SPDX-License-Identifier: Apache-2.0
//
// orrery obfuscate: traces that can be shown to others.
#include "orrery/intake/edit/obfuscate.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/present/traces/cut_obfuscate_text.h"
#include "orrery/trace/io/trace_prefix.h"
#include "output_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct ObfuscateArguments {
  std::string from, salt;

  static constexpr auto fields = std::tuple{
      QuestionField{"from", &ObfuscateArguments::from, "PREFIX", "", kAnswer, "w",
                    "Traces PREFIX.0.et …, or one file"},
      QuestionField{"salt", &ObfuscateArguments::salt, "--salt", "TEXT", kAnswer, "kept secret",
                    "Names become the same in all traces with this salt; keep it secret"}};
};

int obfuscate(const ObfuscateArguments& arguments, Session& session) {
  const std::string to = std::exchange(session.output, "");
  if (arguments.from.empty() || to.empty())
    return session.fail(
        {Errc::usage, "", "needs a trace and --output", "orrery obfuscate chakra/w -o public/w"});
  if (study::is_recorded_traces({arguments.from}))
    return session.fail({Errc::input_unsupported, arguments.from,
                         "is a recorded trace; Chakra traces are obfuscated",
                         "'orrery convert' makes one of it"});
  std::error_code ignored;
  const bool one = std::filesystem::is_regular_file(arguments.from, ignored);
  const auto free =
      one ? check_absent(to, session.force) : trace::check_prefix_unused(to, session.force);
  if (!free) return session.fail(free.error());
  Findings findings;
  const auto report =
      intake::obfuscate(arguments.from, to, arguments.salt, session.force, findings);
  if (!report) return session.fail(report.error(), findings);
  return session.deliver(present::obfuscate_text(*report, to, session.out_style()),
                         [&] { return present::obfuscate_json(*report, findings); });
}

}  // namespace

Action add_obfuscate(CLI::App& command, Session& session) {
  describe(command,
           "Only what a simulation needs remains: the graph, durations, types and sizes (two\n"
           "digits). Names become numbers, or keyed hashes with --salt; shapes, schemas, names\n"
           "of process groups and everything else are left out. Reports which names could\n"
           "still be recovered.\n"
           "\n"
           "Examples:\n"
           "  orrery obfuscate chakra/w -o public/w\n"
           "  orrery obfuscate w.0.et --salt 'kept secret' -o public.0.et\n");
  const auto options = std::make_shared<ObfuscateArguments>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return obfuscate(*options, session); };
}

}  // namespace orrery::app
