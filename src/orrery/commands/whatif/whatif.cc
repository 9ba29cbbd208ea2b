// SPDX-License-Identifier: Apache-2.0
//
// orrery whatif: predicts the effect of changes to a recording or a job.
#include "orrery/study/whatif/whatif.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/output/run_output.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/whatif/whatif_answer.h"
#include "orrery/present/whatif/whatif_list_answer.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/recordings/trace_structure.h"

namespace orrery::commands {

namespace {

struct WhatIfOptions {
  std::vector<std::string> paths;
  study::WhatIfQuestion question;
  std::string plot;
  std::vector<std::string> gpus;
  std::string found, structure;
  bool changes = false;
  std::optional<std::uint32_t> layers, microbatches;
  std::string run_file;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &WhatIfOptions::paths, "TRACES", "", kAnswer, "other.json",
                    "Recorded traces, or the prefix of Chakra traces"},
      QuestionStruct{"question", &WhatIfOptions::question},
      QuestionField{"plot", &WhatIfOptions::plot, "--plot", "FILE", kNothing, "list.svg",
                    "Plot --list as SVG"},
      QuestionField{"gpus", &WhatIfOptions::gpus, "--gpu", "NAME", kAnswer, "h200-sxm",
                    "Earlier form of --change gpu=NAME"}
          .one_each()
          .advanced(),
      QuestionField{
          "found", &WhatIfOptions::found, "--found", "FILE", kNothing, "job.yaml",
          "Write the job inferred from traces, to be corrected and given as --spec; of "
          "replayed traces, the numbers of layers and microbatches, for --structure-file"},
      QuestionField{"structure", &WhatIfOptions::structure, "--structure-file", "FILE", kAnswer,
                    "structure.yaml",
                    "Layers and microbatches of the traces: a file of --found, corrected"},
      QuestionField{"changes", &WhatIfOptions::changes, "--changes", "", kNothing, "true",
                    "List the possible changes, and stop"},
      QuestionField{"layers", &WhatIfOptions::layers, "--layers", "N", kAnswer, "4",
                    "Number of layers in the traces, for layers=N, if 'trace info --structure' "
                    "finds another"},
      QuestionField{"microbatches", &WhatIfOptions::microbatches, "--microbatches", "N", kAnswer,
                    "2", "Number of microbatches per step in the traces, likewise"},
      UndeclaredField{&WhatIfOptions::run_file},
      QuestionStruct{"page", &WhatIfOptions::page, SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// --output names a run file, a web page or a JSON file.
Result<void> choose_output(WhatIfOptions& options, Context& context) {
  const auto kind = kind_of_output(context.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) std::swap(options.run_file, context.output);
  if (*kind == OutputKind::page) std::swap(options.page.path, context.output);
  options.question.base.record =
      !options.run_file.empty() || options.page.wanted() || context.wants_run();
  options.question.record_unchanged = options.page.wanted();
  return {};
}

/// Changes are given only with --change. 0.8.0 dropped the other forms.
Result<void> refuse_change(std::string_view given, std::string_view change) {
  return fail(Errc::usage, std::string(given), "is neither a file nor an option here",
              fmt::format("changes need --change: --change {}", change));
}

/// Refuses arguments that look like changes and name no file: "tp=8".
Result<void> refuse_changes(const std::vector<std::string>& paths) {
  for (const std::string& word : paths) {
    const bool change = word.find('=') != std::string::npos && !study::is_recorded_traces({word}) &&
                        !std::filesystem::exists(word);
    if (change) return refuse_change(word, word);
  }
  return {};
}

/// "tp" of parallel.tp; the path itself if it has no short name.
std::string_view change_of(const study::JobDescriptionKey& key) {
  for (const study::ChangeKind& word : study::change_kinds())
    if (word.path == key.path) return word.name;
  return key.path;
}

/// Refuses options of a plan without a model: the traces have a plan ("--tp 4").
Result<void> refuse_plan(const study::JobDescription& job, const std::vector<std::string>& gpus) {
  for (const std::string& gpu : gpus) return refuse_change("--gpu " + gpu, "gpu=" + gpu);
  if (!job.model.empty() || !job.spec.empty()) return {};
  for (const study::JobDescriptionKey& key : study::job_description_keys()) {
    const std::string& value = job.*key.value;
    if (!value.empty())
      return refuse_change(fmt::format("{} {}", key.option, value),
                           fmt::format("{}={}", change_of(key), value));
  }
  if (!job.offload.empty()) return refuse_change("--offload", "offload=" + job.offload);
  if (job.sp) return refuse_change("--sp", "parallel.sp=true");
  if (!job.set.empty()) return refuse_change("--set " + job.set.front(), job.set.front());
  return {};
}

/// The structure from --structure-file; --layers and --microbatches override it.
Result<void> read_structure(WhatIfOptions& options) {
  study::TraceStructure& known = options.question.base.structure;
  known = {options.layers, options.microbatches};
  if (options.structure.empty()) return {};
  const auto read = study::read_trace_structure(options.structure);
  if (!read) return tl::unexpected(read.error());
  if (!known.layers) known.layers = read->layers;
  if (!known.microbatches) known.microbatches = read->microbatches;
  return {};
}

int whatif(WhatIfOptions& options, Context& context) {
  if (options.changes) return context.deliver(present::state_change_kinds);
  if (auto fine = choose_output(options, context); !fine) return context.fail(fine.error());
  if (!options.plot.empty()) options.question.list = true;
  if (auto fine = refuse_changes(options.paths); !fine) return context.fail(fine.error());
  if (auto fine = refuse_plan(options.question.base.job, options.gpus); !fine)
    return context.fail(fine.error());
  options.question.must_infer_job = !options.found.empty();
  study::Question& base = options.question.base;
  take_paths(options.paths, base);
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return context.fail({Errc::usage, "TRACES", "nothing to change",
                         "orrery whatif TRACE ... --list, or --change kernels=0.5"});
  if (auto fine = read_structure(options); !fine) return context.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  ShownWatch watch(context);
  const auto result = study::what_if(options.question, watch);
  watch.phase_done();
  if (!result) return context.fail(result.error());
  Result<void> written;
  if (options.question.base.record)
    written = write_run(result->answer->outcome(), options.run_file, page, context,
                        result->unchanged ? &result->unchanged->outcome() : nullptr);
  if (written && !options.found.empty())
    written = write_output(options.found,
                           result->traced ? workload::to_yaml(result->traced->spec)
                                          : study::to_yaml(result->found.value_or(graph::Shape{})),
                           context.force);
  if (written && !options.plot.empty())
    written = write_output(options.plot, present::whatif_svg(*result), context.force);
  const int code =
      context.deliver([&](report::Answer& answer) { present::state_whatif(answer, *result); });
  if (!written) {
    context.report_error(written.error());
    return exit_code(written.error().code);
  }
  page.show(context);
  return code;
}

}  // namespace

/// Names of changes. A colon or equal sign would end a word of a shell.
std::vector<std::string_view> whatif_words() {
  std::vector<std::string_view> words;
  for (const study::ChangeKind& kind : study::change_kinds())
    if (kind.name.find(':') == std::string_view::npos) words.push_back(kind.name);
  return words;
}

Action add_whatif(CommandOptions& command, Context& context) {
  describe(command,
           "With --list it tries single changes and ranks them by the time they save.\n"
           "Recorded traces, and Chakra traces with times, are simulated again: durations\n"
           "are the recorded ones, start times are simulated. With --cluster, communications\n"
           "are simulated on it. Of a model and a plan, everything is simulated.\n"
           "\n"
           "Examples:\n"
           "  orrery whatif 'trace/rank*.json.gz' --list --combine\n"
           "  orrery whatif llama/w --cluster h100-sxm:8 --change tp=4\n"
           "  orrery whatif --model llama-3.1-8b --tp 4 --cluster h100-sxm:16 \\\n"
           "    --change tp=8 --change gpu=h200-sxm\n");
  Action action = action_with_options(command, context, whatif);
  set_advanced(command, {"--found", "--structure-file", "--layers", "--microbatches", "--replicate",
                         "--recorded-device"});
  return action;
}

}  // namespace orrery::commands
