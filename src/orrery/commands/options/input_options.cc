// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/options/input_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "orrery/commands/command_options.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/text/suggest.h"
#include "orrery/intake/formats/aicb_workload.h"
#include "orrery/study/questions/inputs/compiled_program.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace fs = std::filesystem;

void add_question_option(CommandOptions& command, study::Question& question,
                         std::string_view name) {
  add_fields(command, question,
             [&](std::string_view one, std::string_view) { return one == name; });
}

constexpr QuestionField kPrefix{"positional_workload",
                                &InputOptions::positional_workload,
                                "PREFIX",
                                "",
                                kAnswer,
                                "other",
                                "The workload: traces PREFIX.0.et, PREFIX.1.et, …"};

constexpr auto kAstraFields = std::tuple{
    QuestionField{"rendezvous", &AstraOptions::rendezvous, "--rendezvous-protocol", "BOOL", kAnswer,
                  "true", "Rendezvous: a sender waits until the receiver is ready"},
    QuestionField{"logging_configuration", &AstraOptions::logging_configuration,
                  "--logging-configuration", "FILE", kNothing, "log.toml", "Has no effect"}
        .advanced(),
    QuestionField{"logging_folder", &AstraOptions::logging_folder, "--logging-folder", "FOLDER",
                  kNothing, "logs", "Has no effect"}
        .advanced()};
constexpr const auto& question_table(const AstraOptions*) { return kAstraFields; }

void add_input_options(CommandOptions& command, InputOptions& options) {
  add_field(command, std::string(kPrefix.name), kPrefix, options.positional_workload, "Options");
  add_recorded_options(command, options.recorded);
  study::Question& question = options;
  // rendezvous_protocol is true without a value. `run` adds what a run stores and leaves out.
  add_fields(command, question, [](std::string_view name, std::string_view group) {
    return name != "rendezvous_protocol" && name != "without" && name != "changes" &&
           name != "recorded" && name != "job" && name != "work" && group != "Output";
  });
  command.field("--compute").help =
      fmt::format("Source of compute times: {}; by default the cluster file's",
                  fmt::join(platform::compute_names(), ", "));
  const std::string group = command.field("--astra-network").group;
  config::each_row(options.typed, [&](const auto& row, auto& value, std::string_view) {
    add_row(command, {}, row, value, group);
  });
  set_advanced(command, {"--kernel-model", "--systolic", "--rendezvous-protocol",
                         "--collective-algorithm", "--kernel-table", "--compute"});
  FieldRecord& rendezvous = command.field("--rendezvous-protocol");
  rendezvous.value_optional = true;
  rendezvous.default_text = "true";
}

namespace {

constexpr std::string_view kNoFolder = "true";  // of a flag without a value

/// In bytes; the largest number if the system does not report it.
std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

/// Chooses the folder of graphs on disk, and the bytes from which on they go there: 0 with
/// --stream, else half of the machine's memory. Errc: input_not_found (no such folder).
Result<void> choose_stream_folder(const StreamOptions& options, const Context& context,
                                  study::Question& question) {
  if (!options.possible) return {};
  std::error_code error;
  const bool named = options.given() && options.folder != kNoFolder;
  question.stream_folder = named ? options.folder : context.temporary_folder;
  if (question.stream_folder.empty()) return {};
  if (named && !fs::is_directory(options.folder, error)) {
    return fail(Errc::input_not_found, options.folder, "there is no such folder",
                "--stream takes an existing folder, on a disk that has room for the traces");
  }
  question.stream_beyond = options.given() ? 0 : memory_of_machine() / 2;
  return {};
}

/// Files that are workloads by themselves, given as a job.
void take_work(InputOptions& options) {
  if (!options.workload.empty()) return;
  options.workload = aicb_file(options.job);
  if (options.workload.empty()) options.workload = program_file(options.job);
  if (!options.workload.empty()) options.job.spec.clear();
}

Result<void> take_workload(InputOptions& options, Context& context) {
  take_work(options);
  if (options.workload.empty()) {
    std::swap(options.workload, options.positional_workload);
  } else if (!options.positional_workload.empty()) {
    if (!context.astra_options) {
      return fail(Errc::usage, "--workload",
                  "the workload is given twice: as an argument and as an option");
    }
    context.ignored_options.push_back(options.positional_workload);
  }
  return {};
}

}  // namespace

namespace {

/// The file of a job that is nothing else; else empty.
std::string only_file(const study::JobDescription& job) {
  study::JobDescription rest = job;
  rest.spec.clear();
  return job.spec.size() == 1 && !rest.given() ? job.spec.front() : std::string();
}

}  // namespace

std::string aicb_file(const study::JobDescription& job) {
  std::string file = only_file(job);
  return !file.empty() && intake::is_aicb_file(file) ? file : std::string();
}

std::string program_file(const study::JobDescription& job) {
  std::string file = only_file(job);
  return !file.empty() && study::program_form(file) != hlo::TextForm::none ? file : std::string();
}

void add_stream_option(CommandOptions& command, StreamOptions& options) {
  options.possible = true;
  command.extras.push_back(
      {.names = "--stream",
       .help =
           "Store traces in a temporary file, as happens to traces larger than half of the memory",
       .type = "[=FOLDER]",
       .group = "Inputs",
       .value = &options.folder,
       .is_flag = true,
       .is_advanced = true});
}

Result<void> check_input_options(InputOptions& options, Context& context) {
  if (auto fine = take_workload(options, context); !fine) return fine;
  // ASTRA-sim has a program for each of its networks.
  if (options.network.empty() && context.congestion_aware_name)
    options.network = study::name(platform::NetworkModelKind::message);
  for (const char* no : {"0", "f", "F", "False", "FALSE"}) {
    if (options.typed.rendezvous == no) options.typed.rendezvous = "false";
  }
  for (const char* yes : {"", "1", "t", "T", "True", "TRUE"}) {
    if (options.typed.rendezvous == yes) options.typed.rendezvous = "true";
  }
  if (auto fine = one_of("--rendezvous-protocol", options.typed.rendezvous, {"true", "false"});
      !fine)
    return fine;
  options.rendezvous_protocol = options.typed.rendezvous == "true";
  // In scripts for ASTRA-sim, the word "empty" means no file.
  if (options.groups == "empty" && (options.astra() || context.astra_options))
    options.groups.clear();
  if (context.astra_options && options.cluster.empty()) {
    const auto missing = [](const char* option) { return fail(Errc::usage, option, "is missing"); };
    if (options.astra_network.empty()) return missing("--network-configuration");
    if (options.astra_system.empty()) return missing("--system-configuration");
  }
  if (auto fine = study::settle(options); !fine) return fine;
  if (options.stream.given() && options.workload.empty()) {
    return fail(Errc::usage, "--stream",
                "only Chakra traces (PREFIX) can be stored in a temporary file", "leave it out");
  }
  return choose_stream_folder(options.stream, context, options);
}

void note_ignored(const InputOptions& options, const Context& context, Findings& findings) {
  for (const std::string& word : context.ignored_options)
    findings.add(FindingCode::key_ignored, word);
  if (!options.typed.logging_configuration.empty() &&
      options.typed.logging_configuration != "empty") {
    context.note(
        "--logging-configuration has no effect: there is no log, the result goes to stdout or "
        "--output");
  }
  if (!options.typed.logging_folder.empty()) {
    context.note(
        "--logging-folder has no effect: there is no log, the result goes to stdout or --output");
  }
  if (!context.ignored_options.empty()) {
    context.warn(fmt::format("unknown options are ignored, as ASTRA-sim does: {}",
                             fmt::join(context.ignored_options, " ")));
  }
}

}  // namespace orrery::commands
