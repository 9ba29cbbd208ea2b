// SPDX-License-Identifier: Apache-2.0
#include "options/input_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "orrery/core/models/network_help.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "question_options.h"

namespace orrery::app {

namespace fs = std::filesystem;

void add_question_option(CLI::App& command, study::Question& question, std::string_view name) {
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
                  "true", "Receivers announce themselves first"},
    QuestionField{"logging_configuration", &AstraOptions::logging_configuration,
                  "--logging-configuration", "FILE", kNothing, "log.toml", "Has no effect"},
    QuestionField{"logging_folder", &AstraOptions::logging_folder, "--logging-folder", "FOLDER",
                  kNothing, "logs", "Has no effect"}};
constexpr const auto& question_table(const AstraOptions*) { return kAstraFields; }

void add_input_options(CLI::App& command, InputOptions& options) {
  add_field(table_command(command), std::string(kPrefix.name), kPrefix, options.positional_workload,
            "Options");
  add_recorded_options(command, options.recorded);
  study::Question& question = options;
  // Without a value this one is true; what a run keeps and leaves out is `run`'s own.
  add_fields(command, question, [](std::string_view name, std::string_view group) {
    return name != "rendezvous_protocol" && name != "without" && name != "changes" &&
           name != "recorded" && name != "job" && name != "work" && group != "Output";
  });
  command.get_option("--compute")
      ->description(fmt::format(
          "Where times of compute nodes come from: {}; by default as the cluster's file",
          fmt::join(platform::compute_names(), ", ")));
  const std::string group = command.get_option("--astra-network")->get_group();
  config::each_row(options.typed, [&](const auto& row, auto& value, std::string_view) {
    add_row(table_command(command), {}, row, value, group);
  });
  command.get_option("--rendezvous-protocol")->expected(0, 1)->default_str("true");
}

namespace {

constexpr std::string_view kNoFolder = "true";  // what CLI11 makes of a flag without a value

/// Bytes; more than there can be when the system does not tell.
std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

/// Where graphs go and how many stay in memory: with --stream none, else half of the machine's
/// memory full. Errc: input_not_found (no such folder).
Result<void> choose_place(const StreamOptions& options, study::Question& question) {
  if (!options.possible) return {};
  std::error_code error;
  const bool named = options.given() && options.folder != kNoFolder;
  question.stream_folder = named ? options.folder : fs::temp_directory_path(error).string();
  if (named && !fs::is_directory(options.folder, error)) {
    return fail(Errc::input_not_found, options.folder, "there is no such folder",
                "--stream takes an existing folder, on a disk that has room for the traces");
  }
  question.stream_beyond = options.given() ? 0 : memory_of_machine() / 2;
  return {};
}

Result<void> settle_workload(InputOptions& options, Session& session) {
  if (options.workload.empty()) {
    std::swap(options.workload, options.positional_workload);
  } else if (!options.positional_workload.empty()) {
    if (!session.astra_options) {
      return fail(Errc::usage, "--workload",
                  "the workload is given twice: as an argument and as an option");
    }
    session.ignored_options.push_back(options.positional_workload);
  }
  return {};
}

}  // namespace

void add_stream_option(CLI::App& command, StreamOptions& options) {
  options.possible = true;
  command
      .add_flag("--stream", options.folder,
                "Keep traces in a temporary file, as is done with those beyond half of the memory")
      ->option_text("[=FOLDER]")
      ->group("Inputs");
}

Result<void> check_input_options(InputOptions& options, Session& session) {
  if (auto fine = settle_workload(options, session); !fine) return fine;
  // ASTRA-sim has a program for each of its networks.
  if (options.network.empty() && session.congestion_aware_name)
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
  // In a script for ASTRA-sim the word "empty" stands for no file.
  if (options.groups == "empty" && (options.astra() || session.astra_options))
    options.groups.clear();
  if (session.astra_options && options.cluster.empty()) {
    const auto missing = [](const char* option) { return fail(Errc::usage, option, "is missing"); };
    if (options.astra_network.empty()) return missing("--network-configuration");
    if (options.astra_system.empty()) return missing("--system-configuration");
  }
  if (auto fine = study::settle(options); !fine) return fine;
  if (options.stream.given() && options.workload.empty()) {
    return fail(Errc::usage, "--stream", "only Chakra traces (PREFIX) can be kept in a file",
                "leave it out");
  }
  return choose_place(options.stream, options);
}

void note_ignored(const InputOptions& options, const Session& session, Findings& findings) {
  for (const std::string& word : session.ignored_options)
    findings.add(FindingCode::key_ignored, word);
  if (!options.typed.logging_configuration.empty() &&
      options.typed.logging_configuration != "empty") {
    session.note(
        "--logging-configuration has no effect: there is no log, the result goes to stdout or "
        "--output");
  }
  if (!options.typed.logging_folder.empty()) {
    session.note(
        "--logging-folder has no effect: there is no log, the result goes to stdout or --output");
  }
  if (!session.ignored_options.empty()) {
    session.warn(fmt::format("unknown options are ignored, as ASTRA-sim does: {}",
                             fmt::join(session.ignored_options, " ")));
  }
}

}  // namespace orrery::app
