// SPDX-License-Identifier: Apache-2.0
//
// What commands are given: options that several of them have, and the question that they amount to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/questions/job_description.h"
#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

using study::RecordedTraces;

/// Adds --traces, --rank, --threads, --no-link, --tensors in a group of their own.
void add_recorded_options(CLI::App& command, RecordedTraces& options);

/// What TRACES names: one path that is no recording is the prefix of Chakra traces, all else are
/// recordings.
void take_paths(const std::vector<std::string>& paths, study::Question& question);

/// Adds --spec, --model, --tp … --set. With `positional`, files can be given without --spec.
void add_spec_options(CLI::App& command, study::JobDescription& job, bool positional);

/// Adds how it is worked out, all but --threads, which is one of the recorded options, too.
void add_work_options(CLI::App& command, study::ExecutionOptions& work);

/// Workloads beyond memory, as it was typed.
struct StreamOptions {
  /// --stream: empty = not given, "true" = the temporary folder, else a folder.
  std::string folder;
  /// The command can do with graphs in a file: they go there when they take too much memory.
  bool possible = false;

  [[nodiscard]] bool given() const { return !folder.empty(); }
};

/// Adds --stream; from then on graphs that memory has no room for go to the temporary folder.
void add_stream_option(CLI::App& command, StreamOptions& options);

/// Options of ASTRA-sim that Orrery's question has in another form, or not at all.
struct AstraOptions {
  std::string rendezvous = "false";
  std::string logging_configuration, logging_folder;
};

/// What was typed.
struct InputOptions : study::Question {
  std::string positional_workload;
  AstraOptions typed;
  StreamOptions stream;
};

/// Adds the options above. With `needed`, help shows the workload as required.
void add_input_options(CLI::App& command, InputOptions& options);

/// Adds the option of one more field of a question (study/questions/run_options.h).
void add_question_option(CLI::App& command, study::Question& question, std::string_view name);

/// Makes a settled question of what was typed: Errc::usage and config_conflict, input_not_found (no
/// such folder).
[[nodiscard]] Result<void> check_input_options(InputOptions& options, Session& session);

/// Says what of it is ignored. `findings` gets it, too.
void note_ignored(const InputOptions& options, const Session& session, Findings& findings);

}  // namespace orrery::app
