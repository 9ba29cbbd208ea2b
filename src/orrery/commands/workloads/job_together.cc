// SPDX-License-Identifier: Apache-2.0
//
// orrery job together: simulates several jobs that share a cluster.

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/output/run_output.h"
#include "orrery/commands/progress.h"
#include "orrery/present/simulate/together_answer.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

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
Result<void> choose_output(TogetherOptions& options, Context& context) {
  const auto kind = kind_of_output(context.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) std::swap(options.run_file, context.output);
  if (*kind == OutputKind::page) std::swap(options.page.path, context.output);
  options.question.record = keeps_run(options.run_file, options.page, context);
  return {};
}

int simulate_concurrent_jobs(TogetherOptions& options, Context& context) {
  if (auto fine = choose_output(options, context); !fine) return context.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  Findings findings;
  ShownWatch watch(context, true);
  const auto result = study::simulate_concurrent_jobs(options.question, watch, findings);
  if (!result) return context.fail(result.error(), findings);
  const Result<void> written = write_run(result->all, options.run_file, page, context);
  const bool stalled = result->all.result.stall.has_value();
  const bool wrong = result->all.verified && result->all.verified->difference;
  int code = wrong ? kSaysNo : stalled ? exit_code(Errc::stall) : kOk;
  code = context.deliver(
      [&](report::Answer& answer) {
        present::state_together(answer, *result, options.question.links);
      },
      code);
  if (written) {
    page.show(context);
    return code;
  }
  context.report_error(written.error());
  return exit_code(written.error().code);
}

}  // namespace

Action add_job_together(CommandOptions& command, Context& context) {
  describe(command,
           "Simulates the jobs concurrently, and each alone on the same ranks. Shows how\n"
           "much the others slow each job (docs/together.md).\n"
           "\n"
           "Examples:\n"
           "  orrery job together jobs.yaml\n"
           "  orrery job together jobs.yaml --cluster fabric.yaml --network message -o all.html\n");
  command.files_hold_cluster = true;
  return action_with_options(command, context, simulate_concurrent_jobs);
}

}  // namespace orrery::commands
