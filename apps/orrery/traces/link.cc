// SPDX-License-Identifier: Apache-2.0
//
// orrery link: do these traces fit together, and how well?
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/present/traces/convert_link_text.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct LinkOptions {
  std::vector<std::string> more;
  RecordedTraces recorded;

  static constexpr auto fields = std::tuple{
      QuestionField{"more", &LinkOptions::more, "TRACES", "", kAnswer, "other.json.gz",
                    "The same as --traces"},
      QuestionStruct{"recorded", &LinkOptions::recorded, SelectedRow{"traces"}, SelectedRow{"rank"},
                     SelectedRow{"threads"}, SelectedRow{"no_link"}}};
};

int link(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  intake::JobReport report;
  auto done = intake::for_each_rank(
      *job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        report.linked.push_back(rank.link);
        report.attached.push_back(rank.attach);
        report.findings.merge(rank.findings);
        return {};
      });
  progress.clear();
  if (!done) return session.fail(done.error(), report.findings);
  report.job = *std::move(done);
  report.findings.merge(report.job.findings);
  return session.deliver(present::link_text(report, session.out_style()),
                         [&] { return present::link_json(report); });
}

}  // namespace

Action add_link(CLI::App& command, Session& session) {
  describe(command,
           "Prints how many nodes of each execution trace were found in the device trace and\n"
           "by which rule, how much of the device's work has an operator, and whether the\n"
           "ranks' communications match. Writes no trace; 'orrery convert' does the same and\n"
           "writes the result.\n"
           "\n"
           "Examples:\n"
           "  orrery link rank0.et.json rank0.kineto.json.gz\n"
           "  orrery link --traces 'run/*.json.gz' --json\n");
  const auto options = std::make_shared<LinkOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] {
    auto& traces = options->recorded.traces;
    traces.insert(traces.end(), options->more.begin(), options->more.end());
    return link(options->recorded, session);
  };
}

}  // namespace orrery::app
