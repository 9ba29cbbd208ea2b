// SPDX-License-Identifier: Apache-2.0
//
// orrery run: simulate a workload on a cluster.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/present/simulate/run_text.h"
#include "output/report_files.h"
#include "output/run_output.h"
#include "progress.h"
#include "question_options.h"
#include "simulate/run_variability.h"

namespace orrery::app {

namespace {

/// What is written besides the summary, and where.
struct KeepOptions {
  std::string run_file;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      UndeclaredField{&KeepOptions::run_file},
      QuestionStruct{"page", &KeepOptions::page, SelectedRow{"page"}, SelectedRow{"open"}}};

  [[nodiscard]] bool anything() const { return !run_file.empty() || page.wanted(); }
};

/// --output names a run file, a web page or a JSON file; --spans is about the first.
Result<void> settle_output(InputOptions& options, KeepOptions& keep, Session& session) {
  const auto kind = kind_of_output(session.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) std::swap(keep.run_file, session.output);
  if (*kind == OutputKind::page) std::swap(keep.page.path, session.output);
  if (options.stream.given() && keep.anything()) {
    return fail(Errc::usage, "--stream",
                fmt::format("a {} says when every node ran, and that is not kept",
                            keep.run_file.empty() ? "web page" : "run file"),
                "leave --stream out, or write the result alone: -o FILE.json");
  }
  options.record = keep.anything();
  if (options.spans.empty()) {
    options.spans = "all";
  } else if (keep.run_file.empty()) {
    return fail(Errc::usage, "--spans", "there is no run file to keep them in", "-o FILE.orrery");
  }
  return one_of("--spans", options.spans, {"all", "critical", "none"});
}

/// The run file and the web page, where they are wanted.
Result<void> write_kept(const study::Outcome& outcome, const KeepOptions& keep, PageFile& page,
                        const Session& session) {
  if (!keep.anything()) return {};
  const result::Run run = recorded_run(outcome, keep.run_file, session);
  if (!keep.run_file.empty()) {
    if (auto done = write_run_file(run, keep.run_file, session); !done) return done;
  }
  if (auto done = page.write({&run}, session); !done) return tl::unexpected(done.error());
  return {};
}

/// What is shown besides.
struct ShowOptions {
  bool all = false, effects = false;

  static constexpr std::string_view group = "Output";
  static constexpr auto fields =
      std::tuple{QuestionField{"all", &ShowOptions::all, "--all", "", kNothing, "true",
                               "Show every kind of communication"},
                 QuestionField{"effects", &ShowOptions::effects, "--effects", "", kAnswer, "true",
                               "Simulate again without each effect, and show what it is worth"}};
};

int run(InputOptions& options, KeepOptions& keep, const ShowOptions& show, Session& session) {
  if (auto fine = settle_output(options, keep, session); !fine) return session.fail(fine.error());
  PageFile page(keep.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  if (auto fine = check_input_options(options, session); !fine) return session.fail(fine.error());
  Findings findings;
  note_ignored(options, session, findings);
  ShownWatch watch(session, !options.stream.given());
  auto outcome = study::answer(options, watch, findings);
  if (!outcome) return session.fail(outcome.error(), findings);
  if (show.effects) {
    if (auto tried = study::try_effects(*outcome); !tried)
      return session.fail(tried.error(), findings);
  }

  const Result<void> written = write_kept(*outcome, keep, page, session);
  const report::Style style = session.out_style();
  const auto json = [&] { return study::outcome_json(*outcome, "run"); };
  const bool stalled = outcome->result.stall.has_value();
  const bool wrong = outcome->verified && outcome->verified->difference;
  int code = wrong ? kSaysNo : stalled ? exit_code(Errc::stall) : kOk;
  code = session.deliver(stalled ? present::stall_text(*outcome, style)
                                 : present::summary_text(*outcome, style, show.all),
                         json, code);
  if (stalled) {
    session.talk_error(
        {Errc::stall, options.workload_name(), "the simulation cannot finish",
         "the report names what never happens; 'orrery check' looks for mistakes in the traces"});
  }
  if (written) {
    page.show(session);
    return code;
  }
  session.talk_error(written.error());
  return exit_code(written.error().code);
}

/// Many steps instead of one.
int draw(InputOptions& options, const KeepOptions& keep, VariabilityOptions& variability,
         Session& session) {
  if (keep.page.wanted())
    return session.fail({Errc::usage, "--open",
                         "a web page is of one run, and --variability is of many", "leave it out"});
  options.spans = "all";
  if (auto fine = check_input_options(options, session); !fine) return session.fail(fine.error());
  return run_variability(options, variability, session);
}

}  // namespace

Action add_run(CLI::App& command, Session& session) {
  describe(command,
           "The workload is traces on disk, recorded or Chakra, or a model and a plan (see\n"
           "'orrery generate').\n"
           "\n"
           "Examples:\n"
           "  orrery run llama/w --cluster cluster.yaml -o step.orrery\n"
           "  orrery run --model llama-3.1-8b --tp 4 --dp 2 --cluster cluster.yaml --open\n"
           "\n"
           "In brackets behind the step time: its 80 % prediction interval, from the known\n"
           "errors of the models of kernels and collectives (docs/bands.md).\n");
  const auto options = std::make_shared<InputOptions>();
  const auto keep = std::make_shared<KeepOptions>();
  options->spans.clear();
  add_input_options(command, *options);
  add_stream_option(command, options->stream);
  add_spec_options(command, options->job, false);
  add_work_options(command, options->work);
  command.get_option("--threads")
      ->description(
          "Threads to read and to simulate with (0: all cores). By default all read, one "
          "simulates");
  session.add_options(command);
  add_fields(command, *keep);
  add_question_option(command, *options, "spans");
  add_question_option(command, *options, "without");
  command.get_option("--without")->allow_extra_args(false);
  const auto variability = std::make_shared<VariabilityOptions>();
  add_variability_options(command, *variability);
  const auto show = std::make_shared<ShowOptions>();
  add_fields(command, *show);
  return [options, keep, show, variability, &command, &session] {
    if (auto fine = settle_variability_options(command, *variability); !fine)
      return session.fail(fine.error());
    if (variability->given()) return draw(*options, *keep, *variability, session);
    return run(*options, *keep, *show, session);
  };
}

}  // namespace orrery::app
