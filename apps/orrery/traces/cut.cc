// SPDX-License-Identifier: Apache-2.0
//
// orrery cut: one iteration, a window of time, some ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "command.h"
#include "options/input_options.h"
#include "options/rank_list.h"
#include "orrery/core/text/units.h"
#include "orrery/intake/edit/cut_files.h"
#include "orrery/present/traces/cut_obfuscate_text.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct CutArguments {
  std::vector<std::string> traces;
  std::optional<std::int64_t> iteration;
  std::optional<Time> from, to;
  std::string ranks;

  static constexpr auto fields =
      std::tuple{QuestionField{"traces", &CutArguments::traces, "TRACES", "", kAnswer,
                               "other.json.gz", "Files or patterns"},
                 QuestionField{"iteration", &CutArguments::iteration, "--iteration", "N", kAnswer,
                               "1", "The N of ProfilerStep#N"},
                 QuestionField{"from", &CutArguments::from, "--from", "TIME", kAnswer, "1 ms",
                               "Since the first recorded time ('1.5 ms')"},
                 QuestionField{"to", &CutArguments::to, "--to", "TIME", kAnswer, "2 ms",
                               "Up to then, exclusive"},
                 QuestionField{"ranks", &CutArguments::ranks, "--ranks", "LIST", kAnswer, "0",
                               "Only these: 0,4-7"}};
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

int cut(const CutArguments& arguments, Session& session) {
  const std::string output = std::exchange(session.output, "");
  if (arguments.traces.empty() || output.empty())
    return session.fail({Errc::usage, "", "needs a trace and --output",
                         "orrery cut trace.json.gz --iteration 2 -o step.json.gz"});
  auto options = cut_options(arguments);
  if (!options) return session.fail(options.error());
  options->force = session.force;
  const auto ranks = parse_ranks(arguments.ranks);
  if (!ranks) return session.fail(ranks.error());
  Findings findings;
  const auto pieces = intake::cut_files(arguments.traces, *ranks, *options, output, findings);
  if (!pieces) return session.fail(pieces.error(), findings);
  return session.deliver(present::cut_text(*pieces, session.out_style()),
                         [&] { return present::cut_json(*pieces, findings); });
}

}  // namespace

Action add_cut(CLI::App& command, Session& session) {
  describe(command,
           "The result has the format of its source: Kineto, a PyTorch execution trace, or\n"
           "Chakra.\n"
           "Work on the device stays with the call that launched it.\n"
           "\n"
           "Examples:\n"
           "  orrery cut rank0.json.gz --iteration 12 -o step12.json.gz\n"
           "  orrery cut 'run/*.json.gz' --ranks 0,4-7 --from '1 s' --to '2 s' -o part/\n");
  const auto options = std::make_shared<CutArguments>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return cut(*options, session); };
}

}  // namespace orrery::app
