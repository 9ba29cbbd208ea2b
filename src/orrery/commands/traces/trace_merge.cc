// SPDX-License-Identifier: Apache-2.0
//
// orrery trace merge: links execution traces with device traces, and prints how much is linked.
#include <memory>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/present/traces/convert_link_answer.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct LinkOptions {
  std::vector<std::string> more;
  RecordedTraces recorded;

  static constexpr auto fields = std::tuple{
      QuestionField{"more", &LinkOptions::more, "TRACES", "", kAnswer, "other.json.gz",
                    "Same as --traces"},
      QuestionStruct{"recorded", &LinkOptions::recorded, SelectedRow{"traces"}, SelectedRow{"rank"},
                     SelectedRow{"threads"}, SelectedRow{"no_link"}}};
};

int link(const RecordedTraces& options, Context& context) {
  intake::JobReport report;
  auto job = read_ranks(options, context, report.findings, [&](const intake::RankTrace& rank) {
    report.linked.push_back(rank.link);
    report.attached.push_back(rank.attach);
  });
  if (!job) return context.fail(job.error(), report.findings);
  report.job = *std::move(job);
  return context.deliver([&](report::Answer& answer) { present::state_link(answer, report); });
}

}  // namespace

Action add_trace_merge(CommandOptions& command, Context& context) {
  describe(
      command,
      "Prints how many nodes of each execution trace were found in the device trace and\n"
      "by which rule, how much of the device's work has an operator, and whether the\n"
      "ranks' communications match. Writes no trace; 'orrery trace convert' does the same and\n"
      "writes the result.\n"
      "\n"
      "Examples:\n"
      "  orrery trace merge rank0.et.json rank0.kineto.json.gz\n"
      "  orrery trace merge --traces 'run/*.json.gz' --json\n");
  const auto options = std::make_shared<LinkOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] {
    auto& traces = options->recorded.traces;
    traces.insert(traces.end(), options->more.begin(), options->more.end());
    return link(options->recorded, context);
  };
}

}  // namespace orrery::commands
