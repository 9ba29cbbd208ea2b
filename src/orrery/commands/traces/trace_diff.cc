// SPDX-License-Identifier: Apache-2.0
//
// orrery trace diff: what is new, gone or slower in the second of two traces.
#include <memory>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/intake/formats/graph_inspection.h"
#include "orrery/present/traces/diff_answer.h"
#include "orrery/profile/inspection/profile_difference.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

Result<profile::Inspection> read(const std::string& path, Findings& findings) {
  if (!study::is_recorded_traces({path})) return intake::inspect_chakra(path, findings);
  intake::JobOptions job;
  job.traces = {path};
  std::optional<profile::Inspection> first;
  const auto done = intake::for_each_rank(
      job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        findings.merge(rank.findings);
        if (!first) first = profile::inspect(rank.profile);
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  return *std::move(first);
}

struct DiffOptions {
  std::vector<std::string> traces;

  static constexpr auto fields =
      std::tuple{QuestionField{"traces", &DiffOptions::traces, "TRACES", "", kAnswer, "after.json",
                               "The first and the second trace"}};
};

int diff(const std::vector<std::string>& paths, Context& context) {
  if (paths.size() != 2)
    return context.fail({Errc::usage, "", "needs two traces", "orrery trace diff FIRST SECOND"});
  Findings findings;
  const auto a = read(paths[0], findings);
  if (!a) return context.fail(a.error(), findings);
  const auto b = read(paths[1], findings);
  if (!b) return context.fail(b.error(), findings);
  const profile::ProfileDifference d = profile::difference(*a, *b);
  return context.deliver([&](report::Answer& answer) { present::state_diff(answer, d, findings); });
}

}  // namespace

Action add_trace_diff(CommandOptions& command, Context& context) {
  describe(command,
           "Recorded traces or Chakra traces; per iteration if both have iterations.\n"
           "\n"
           "Examples:\n"
           "  orrery trace diff before.json.gz after.json.gz\n"
           "  orrery trace diff before.0.et after.0.et --json\n");
  const auto options = std::make_shared<DiffOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return diff(options->traces, context); };
}

}  // namespace orrery::commands
