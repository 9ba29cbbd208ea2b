// SPDX-License-Identifier: Apache-2.0
//
// orrery whatif: a recording or a job with something changed.
#include "orrery/study/whatif/whatif.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "command.h"
#include "options/input_options.h"
#include "orrery/present/whatif/whatif_text.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/study/recordings/trace_structure.h"
#include "output/report_files.h"
#include "output/run_output.h"
#include "output_file.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

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
                    "Recorded traces of one rank or several, or the prefix of Chakra traces; and "
                    "changes, as --change takes them: tp=8"},
      QuestionStruct{"question", &WhatIfOptions::question},
      QuestionField{"plot", &WhatIfOptions::plot, "--plot", "FILE", kNothing, "list.svg",
                    "Draw --list into an SVG"},
      QuestionField{"gpus", &WhatIfOptions::gpus, "--gpu", "NAME", kAnswer, "h200-sxm",
                    "The same as gpu=NAME"}
          .one_each(),
      QuestionField{"found", &WhatIfOptions::found, "--found", "FILE", kNothing, "job.yaml",
                    "Write the job that traces are of, as it was told from them; corrected, it "
                    "goes with --spec. Of what is played again: how many layers and microbatches; "
                    "corrected, it goes with --structure"},
      QuestionField{"structure", &WhatIfOptions::structure, "--structure", "FILE", kAnswer,
                    "structure.yaml",
                    "What repeats in traces: a file that --found wrote, put right"},
      QuestionField{"changes", &WhatIfOptions::changes, "--changes", "", kNothing, "true",
                    "List what can be changed, and stop"},
      QuestionField{"layers", &WhatIfOptions::layers, "--layers", "N", kAnswer, "4",
                    "How many layers traces have, for layers=N, where 'inspect --structure' finds "
                    "another number"},
      QuestionField{"microbatches", &WhatIfOptions::microbatches, "--microbatches", "N", kAnswer,
                    "2", "... and how many microbatches in a step"},
      UndeclaredField{&WhatIfOptions::run_file},
      QuestionStruct{"page", &WhatIfOptions::page, SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// --output names a run file, a web page or a JSON file.
Result<void> settle_kept(WhatIfOptions& options, Session& session) {
  const auto kind = kind_of_output(session.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) std::swap(options.run_file, session.output);
  if (*kind == OutputKind::page) std::swap(options.page.path, session.output);
  options.question.base.record = !options.run_file.empty() || options.page.wanted();
  return {};
}

/// What is written like a change and is no file is one: "tp=8".
void settle_words(WhatIfOptions& options) {
  auto& changes = options.question.changes;
  std::vector<std::string> paths;
  for (std::string& word : options.paths) {
    const bool change = word.find('=') != std::string::npos && !study::is_recorded_traces({word}) &&
                        !std::filesystem::exists(word);
    (change ? changes : paths).push_back(std::move(word));
  }
  options.paths = std::move(paths);
}

/// "tp" of parallel.tp; the path itself of what has no word.
std::string_view change_of(const study::JobDescriptionKey& key) {
  for (const study::ChangeKind& word : study::change_kinds())
    if (word.path == key.path) return word.name;
  return key.path;
}

/// Where no model is named, a plan is what is to become of the one that traces have: "--tp 4".
void settle_plan(study::WhatIfQuestion& question, const std::vector<std::string>& gpus) {
  study::JobDescription& job = question.base.job;
  for (const std::string& gpu : gpus) question.changes.push_back("gpu=" + gpu);
  if (!job.model.empty() || !job.spec.empty()) return;
  for (const study::JobDescriptionKey& key : study::job_description_keys()) {
    std::string& value = job.*key.value;
    if (!value.empty()) question.changes.push_back(fmt::format("{}={}", change_of(key), value));
    value.clear();
  }
  if (std::exchange(job.sp, false)) question.changes.emplace_back("parallel.sp=true");
  for (std::string& assignment : job.set) question.changes.push_back(std::move(assignment));
  job.set.clear();
}

/// A file says what repeats; options say it louder.
Result<void> settle_structure(WhatIfOptions& options) {
  study::TraceStructure& known = options.question.base.structure;
  known = {options.layers, options.microbatches};
  if (options.structure.empty()) return {};
  const auto read = study::read_trace_structure(options.structure);
  if (!read) return tl::unexpected(read.error());
  if (!known.layers) known.layers = read->layers;
  if (!known.microbatches) known.microbatches = read->microbatches;
  return {};
}

Result<void> write_kept(const study::WhatIf& predicted, const WhatIfOptions& options,
                        PageFile& page, const Session& session) {
  if (!options.question.base.record) return {};
  const result::Run run = recorded_run(predicted.answer->outcome(), options.run_file, session);
  if (!options.run_file.empty())
    if (auto done = write_run_file(run, options.run_file, session); !done) return done;
  if (auto done = page.write({&run}, session); !done) return tl::unexpected(done.error());
  return {};
}

int whatif(WhatIfOptions& options, Session& session) {
  if (options.changes)
    return session.deliver(present::changes_text(session.out_style()), present::changes_json);
  if (auto fine = settle_kept(options, session); !fine) return session.fail(fine.error());
  if (!options.plot.empty()) options.question.list = true;
  settle_words(options);
  settle_plan(options.question, options.gpus);
  options.question.must_infer_job = !options.found.empty();
  study::Question& base = options.question.base;
  take_paths(options.paths, base);
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return session.fail({Errc::usage, "TRACES", "nothing to change",
                         "orrery whatif TRACE ... --list, or --change kernels=0.5"});
  if (auto fine = settle_structure(options); !fine) return session.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  ShownWatch watch(session);
  const auto predicted = study::what_if(options.question, watch);
  watch.phase_done();
  if (!predicted) return session.fail(predicted.error());
  Result<void> written = write_kept(*predicted, options, page, session);
  if (written && !options.found.empty())
    written =
        write_output(options.found,
                     predicted->traced ? workload::to_yaml(predicted->traced->spec)
                                       : study::to_yaml(predicted->found.value_or(graph::Shape{})),
                     session.force);
  if (written && !options.plot.empty())
    written = write_output(options.plot, present::whatif_svg(*predicted), session.force);
  const int code = session.deliver(present::whatif_text(*predicted, session.out_style()),
                                   [&] { return present::whatif_json(*predicted); });
  if (!written) {
    session.talk_error(written.error());
    return exit_code(written.error().code);
  }
  page.show(session);
  return code;
}

}  // namespace

Action add_whatif(CLI::App& command, Session& session) {
  describe(command,
           "With --list it tries single changes and ranks them by the time they save.\n"
           "Recorded traces, and Chakra traces with times, are simulated again: durations are\n"
           "the recorded ones, start times are simulated. With --cluster communications are\n"
           "simulated there, and of a model and a plan everything.\n"
           "\n"
           "Examples:\n"
           "  orrery whatif 'trace/rank*.json.gz' --list --combine\n"
           "  orrery whatif llama/w --cluster h100-sxm:8 --tp 4 --gpu h200-sxm\n"
           "  orrery whatif --model llama-3.1-8b --tp 4 --cluster h100-sxm:16 tp=8 gpu=h200-sxm\n");
  const auto options = std::make_shared<WhatIfOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return whatif(*options, session); };
}

}  // namespace orrery::app
