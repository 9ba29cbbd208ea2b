// SPDX-License-Identifier: Apache-2.0
//
// orrery together: several jobs on one machine.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "orrery/present/simulate/together_text.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs.h"
#include "output/report_files.h"
#include "output/run_output.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct TogetherOptions {
  study::ConcurrentJobsQuestion question;
  PageOptions page;
  std::string run_file;

  static constexpr auto fields = std::tuple{
      QuestionStruct{"question", &TogetherOptions::question},
      QuestionStruct{"page", &TogetherOptions::page, SelectedRow{"page"}, SelectedRow{"open"}},
      UndeclaredField{&TogetherOptions::run_file}};
};

/// --output names a run file or a web page of the run with all jobs, or a JSON file.
Result<void> settle_together(TogetherOptions& options, Session& session) {
  const auto kind = kind_of_output(session.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) std::swap(options.run_file, session.output);
  if (*kind == OutputKind::page) std::swap(options.page.path, session.output);
  options.question.record = options.page.wanted() || !options.run_file.empty();
  return {};
}

Result<void> write_run_of_all(const study::Outcome& outcome, const TogetherOptions& options,
                              PageFile& page, const Session& session) {
  if (!options.question.record) return {};
  const result::Run run = recorded_run(outcome, options.run_file, session);
  if (!options.run_file.empty()) {
    if (auto done = write_run_file(run, options.run_file, session); !done) return done;
  }
  if (auto done = page.write({&run}, session); !done) return tl::unexpected(done.error());
  return {};
}

int simulate_concurrent_jobs(TogetherOptions& options, Session& session) {
  if (auto fine = settle_together(options, session); !fine) return session.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  Findings findings;
  ShownWatch watch(session, true);
  const auto answer = study::simulate_concurrent_jobs(options.question, watch, findings);
  if (!answer) return session.fail(answer.error(), findings);
  const Result<void> written = write_run_of_all(answer->all, options, page, session);
  const bool stalled = answer->all.result.stall.has_value();
  const bool wrong = answer->all.verified && answer->all.verified->difference;
  int code = wrong ? kSaysNo : stalled ? exit_code(Errc::stall) : kOk;
  code = session.deliver(
      present::together_text(*answer, options.question.links, session.out_style()),
      [&] { return present::together_json(*answer, options.question.links); }, code);
  if (written) {
    page.show(session);
    return code;
  }
  session.talk_error(written.error());
  return exit_code(written.error().code);
}

}  // namespace

Action add_together(CLI::App& command, Session& session) {
  describe(command,
           "Simulates them at the same time, and each alone on the same ranks, and shows how\n"
           "much the others slow each job (docs/together.md).\n"
           "\n"
           "Examples:\n"
           "  orrery together jobs.yaml\n"
           "  orrery together jobs.yaml --cluster fabric.yaml --network message -o all.html\n");
  const auto options = std::make_shared<TogetherOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return simulate_concurrent_jobs(*options, session); };
}

}  // namespace orrery::app
