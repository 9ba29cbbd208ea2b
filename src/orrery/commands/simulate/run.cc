// SPDX-License-Identifier: Apache-2.0
//
// orrery run: simulates a workload on a cluster.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/output/run_output.h"
#include "orrery/commands/progress.h"
#include "orrery/commands/simulate/run_checkpoints.h"
#include "orrery/commands/simulate/run_variability.h"
#include "orrery/core/text/suggest.h"
#include "orrery/study/questions/outcome/outcome_answer.h"
#include "orrery/study/questions/outcome/outcome_cost.h"

namespace orrery::commands {

namespace {

/// Files that are written in addition to the summary.
struct KeepOptions {
  std::string run_file;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      UndeclaredField{&KeepOptions::run_file},
      QuestionStruct{"page", &KeepOptions::page, SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// --output names a run file, a web page or a JSON file; --spans needs a run file.
Result<void> choose_output(InputOptions& options, KeepOptions& keep, Context& context) {
  const auto kind = kind_of_output(context.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) std::swap(keep.run_file, context.output);
  if (*kind == OutputKind::page) std::swap(keep.page.path, context.output);
  options.record = keeps_run(keep.run_file, keep.page, context);
  if (options.stream.given() && options.record) {
    return fail(Errc::usage, "--stream",
                fmt::format("a {} needs the times of every node, which --stream does not store",
                            keep.run_file.empty() ? "web page" : "run file"),
                "leave --stream out, or write only the summary: -o FILE.json");
  }
  if (options.spans.empty()) {
    options.spans = "all";
  } else if (keep.run_file.empty()) {
    return fail(Errc::usage, "--spans", "needs a run file", "-o FILE.orrery");
  }
  return one_of("--spans", options.spans, {"all", "critical", "none"});
}

/// Additional output.
struct ShowOptions {
  bool all = false, effects = false, require_fit = false;

  static constexpr std::string_view group = "Output";
  static constexpr auto fields = std::tuple{
      QuestionField{"all", &ShowOptions::all, "--all", "", kNothing, "true",
                    "Show every kind of communication"}
          .advanced(),
      QuestionField{"effects", &ShowOptions::effects, "--effects", "", kAnswer, "true",
                    "Simulate again without each effect, and show the difference"}
          .advanced(),
      QuestionField{"require_fit", &ShowOptions::require_fit, "--require-fit", "", kNothing, "true",
                    "Exit with code 1 if the job does not fit into memory"}};
};

int run(InputOptions& options, KeepOptions& keep, const ShowOptions& show,
        const study::CostQuestion& cost, const CheckpointOptions& checkpoint, Context& context) {
  if (auto fine = choose_output(options, keep, context); !fine) return context.fail(fine.error());
  PageFile page(keep.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  if (auto fine = check_input_options(options, context); !fine) return context.fail(fine.error());
  if (options.record && checkpoint.given())
    return context.fail({Errc::usage, "--output",
                         "a checkpoint does not contain the times that a run file or a web page "
                         "needs",
                         "leave it out, or write only the summary: -o FILE.json"});
  const auto caller = context.caller_models();
  if (caller != nullptr && checkpoint.given())
    return context.fail({Errc::usage, "--checkpoint",
                         "a checkpoint does not contain functions of the caller",
                         "leave out --checkpoint and --resume, or kernel_time and network_time"});
  auto checkpoints = checkpoints_of(checkpoint, context);
  if (!checkpoints) return context.fail(checkpoints.error());
  Findings findings;
  note_ignored(options, context, findings);
  ShownWatch watch(context, !options.stream.given());
  auto outcome = study::answer(options, watch, findings, *std::move(checkpoints), caller);
  if (!outcome) return context.fail(outcome.error(), findings);
  if (show.effects) {
    if (auto tried = study::try_effects(*outcome); !tried)
      return context.fail(tried.error(), findings);
  }
  std::optional<study::StepCosts> costs;
  if (cost.given() && !outcome->result.stall) {
    auto made = study::step_costs(*outcome, cost);
    if (!made) return context.fail(made.error(), findings);
    costs = *std::move(made);
  }

  const Result<void> written = write_run(*outcome, keep.run_file, page, context);
  const bool stalled = outcome->result.stall.has_value();
  const bool wrong = outcome->verified && outcome->verified->difference;
  const bool refused = show.require_fit && !study::fits_in_memory(*outcome);
  int code = wrong || refused ? kSaysNo : stalled ? exit_code(Errc::stall) : kOk;
  code = context.deliver(
      [&](report::Answer& answer) {
        study::state_run(answer, *outcome, show.all);
        if (costs) study::state_step_costs(answer, *costs);
      },
      code);
  if (stalled) {
    context.report_error({Errc::stall, options.workload_name(), "the simulation cannot finish",
                          "the report lists what the ranks wait for; 'orrery trace validate' finds "
                          "mistakes in traces"});
  }
  if (written) {
    page.show(context);
    return code;
  }
  context.report_error(written.error());
  return exit_code(written.error().code);
}

/// Simulates many steps instead of one.
int sample_steps(InputOptions& options, const KeepOptions& keep, VariabilityOptions& variability,
                 Context& context) {
  if (context.caller_models() != nullptr)
    return context.fail({Errc::usage, "--variability",
                         "samples steps without functions of the caller",
                         "leave it out, or kernel_time and network_time"});
  if (keep.page.wanted())
    return context.fail({Errc::usage, "--open",
                         "a web page shows one run, and --variability simulates many",
                         "leave it out"});
  options.spans = "all";
  if (auto fine = check_input_options(options, context); !fine) return context.fail(fine.error());
  return run_variability(options, variability, context);
}

}  // namespace

Action add_run(CommandOptions& command, Context& context) {
  describe(
      command,
      "The workload is traces on disk, recorded or Chakra, or a model and a plan. The brackets\n"
      "after the step time contain its 80 % prediction interval (docs/bands.md).\n"
      "\n"
      "Examples:\n"
      "  orrery run llama/w --cluster cluster.yaml -o step.orrery\n"
      "  orrery run --model llama-3.1-8b --tp 4 --dp 2 --cluster cluster.yaml --open\n"
      "  orrery run --model llama-2-70b --tp 8 --cluster h100-sxm:8 --require-fit\n");
  const auto options = std::make_shared<InputOptions>();
  const auto keep = std::make_shared<KeepOptions>();
  options->spans.clear();
  add_input_options(command, *options);
  add_stream_option(command, options->stream);
  add_spec_options(command, options->job, false);
  add_work_options(command, options->work);
  command.field("--threads").help =
      "Threads that read and simulate (0: all cores); by default all read and one simulates";
  context.add_options(command);
  add_fields(command, *keep);
  add_question_option(command, *options, "spans");
  add_question_option(command, *options, "without");
  command.field("--without").one_value = true;
  const auto variability = std::make_shared<VariabilityOptions>();
  add_variability_options(command, *variability);
  const auto show = std::make_shared<ShowOptions>();
  add_fields(command, *show);
  const auto cost = std::make_shared<study::CostQuestion>();
  add_fields(command, *cost);
  const auto checkpoint = std::make_shared<CheckpointOptions>();
  add_fields(command, *checkpoint);
  return [options, keep, show, cost, checkpoint, variability, &command, &context] {
    if (auto fine = check_checkpoint_options(command, *checkpoint); !fine)
      return context.fail(fine.error());
    if (auto fine = complete_variability_options(command, *variability); !fine)
      return context.fail(fine.error());
    if (variability->given() && show->require_fit)
      return context.fail({Errc::usage, "--require-fit",
                           "checks one run, and --variability simulates many", "leave it out"});
    if (variability->given()) return sample_steps(*options, *keep, *variability, context);
    return run(*options, *keep, *show, *cost, *checkpoint, context);
  };
}

}  // namespace orrery::commands
