// SPDX-License-Identifier: Apache-2.0
//
// orrery whatif: a recording or a job with something changed.
#include "orrery/study/whatif.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "commands.h"
#include "inputs.h"
#include "orrery/present/whatif_text.h"
#include "orrery/study/description.h"
#include "orrery/study/trace_structure.h"
#include "output_file.h"
#include "progress.h"
#include "report_files.h"
#include "run_output.h"

namespace orrery::app {

namespace {

struct WhatIfOptions {
  study::WhatIfQuestion question;
  std::vector<std::string> paths;
  std::string run_file;
  PageOptions page;
  std::string plot;               ///< draw the list into this file
  std::vector<std::string> gpus;  ///< as gpu=NAME
  std::string found;      ///< write the job that traces are of, or what repeats, into this file
  std::string structure;  ///< what repeats, as that file says it
  bool changes = false;   ///< say what there is
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
    const bool change = word.find('=') != std::string::npos && !study::are_recorded({word}) &&
                        !std::filesystem::exists(word);
    (change ? changes : paths).push_back(std::move(word));
  }
  options.paths = std::move(paths);
}

/// "tp" of parallel.tp; the path itself of what has no word.
std::string_view change_of(const study::DescriptionKey& key) {
  for (const study::ChangeWord& word : study::change_words())
    if (word.path == key.path) return word.name;
  return key.path;
}

/// Where no model is named, a plan is what is to become of the one that traces have: "--tp 4".
void settle_plan(study::WhatIfQuestion& question, const std::vector<std::string>& gpus) {
  study::JobDescription& job = question.base.job;
  for (const std::string& gpu : gpus) question.changes.push_back("gpu=" + gpu);
  if (!job.model.empty() || !job.spec.empty()) return;
  for (const study::DescriptionKey& key : study::description_keys()) {
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
  if (options.structure.empty()) return {};
  const auto read = study::read_trace_structure(options.structure);
  if (!read) return tl::unexpected(read.error());
  study::TraceStructure& known = options.question.base.structure;
  if (!known.layers) known.layers = read->layers;
  if (!known.microbatches) known.microbatches = read->microbatches;
  return {};
}

Result<void> write_kept(const study::WhatIf& told, const WhatIfOptions& options, PageFile& page,
                        const Session& session) {
  if (!options.question.base.record) return {};
  const result::Run run = recorded_run(told.answer->outcome(), options.run_file, session);
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
  options.question.tell_job = !options.found.empty();
  study::Question& base = options.question.base;
  take_paths(options.paths, base);
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return session.fail({Errc::usage, "TRACES", "nothing to change",
                         "orrery whatif TRACE ... --list, or --change kernels=0.5"});
  if (auto fine = settle_structure(options); !fine) return session.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  ShownWatch watch(session);
  const auto told = study::what_if(options.question, watch);
  watch.through();
  if (!told) return session.fail(told.error());
  Result<void> written = write_kept(*told, options, page, session);
  if (written && !options.found.empty())
    written = write_output(options.found,
                           told->traced ? workload::to_yaml(told->traced->spec)
                                        : study::to_yaml(told->found.value_or(graph::Shape{})),
                           session.force);
  if (written && !options.plot.empty())
    written = write_output(options.plot, present::whatif_svg(*told), session.force);
  const int code = session.deliver(present::whatif_text(*told, session.out_style()),
                                   [&] { return present::whatif_json(*told); });
  if (!written) {
    session.talk_error(written.error());
    return exit_code(written.error().code);
  }
  page.show(session);
  return code;
}

/// Files that it writes or reads besides.
void add_files(CLI::App& command, WhatIfOptions& options) {
  command.add_option("--plot", options.plot, "Draw --list into an SVG")->type_name("FILE");
  command.add_option("--gpu", options.gpus, "The same as gpu=NAME")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--found", options.found,
                  "Write the job that traces are of, as it was told from them; corrected, it goes "
                  "with --spec. Of what is played again: how many layers and microbatches; "
                  "corrected, it goes with --structure")
      ->type_name("FILE");
  command
      .add_option("--structure", options.structure,
                  "What repeats in traces: a file that --found wrote, put right")
      ->type_name("FILE");
}

/// What it is about, besides traces.
void add_places(CLI::App& command, study::WhatIfQuestion& question) {
  command.add_option("--cluster", question.base.cluster, "Simulate on this cluster")
      ->type_name("FILE");
  command.add_option("--groups", question.base.groups, "Process groups of Chakra traces")
      ->type_name("FILE");
  command.add_flag("--replicate", question.base.replicate,
                   "Every rank of the cluster runs the one trace");
  command
      .add_option("--kernel-table", question.base.kernel_files.kernel_table,
                  "Measured kernels, as 'orrery calibrate compute' makes them of a recording")
      ->type_name("FILE");
  command
      .add_option("--device", question.device,
                  "What a recording was made on, for gpu=NAME; by default what it says itself")
      ->type_name("NAME");
  command
      .add_option("--layers", question.base.structure.layers,
                  "How many layers traces have, for layers=N, where 'inspect --structure' finds "
                  "another number")
      ->type_name("N");
  command
      .add_option("--microbatches", question.base.structure.microbatches,
                  "... and how many microbatches in a step")
      ->type_name("N");
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
  study::WhatIfQuestion& question = options->question;
  command
      .add_option("TRACES", options->paths,
                  "Recorded traces of one rank or several, or the prefix of Chakra traces; and "
                  "changes, as --change takes them: tp=8")
      ->type_name("");
  command
      .add_option("--change", question.changes,
                  "What is other than it was; several are made together, in their order "
                  "(--changes lists them)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--list", question.list,
                   "Try single changes, each on its own, and rank them by what they win");
  command.add_flag("--combine", question.combine,
                   "... and pairs of the best ones: do they add up?");
  command.add_option("--most", question.most, "Show so many of --list; 0: all")
      ->type_name("N")
      ->capture_default_str();
  add_files(command, *options);
  command.add_flag("--changes", options->changes, "List what can be changed, and stop");
  add_places(command, question);
  add_recorded_options(command, question.base.recorded);
  add_spec_options(command, question.base.job, false);
  session.add_options(command);
  add_page_options(command, options->page);
  return [options, &session] { return whatif(*options, session); };
}

}  // namespace orrery::app
