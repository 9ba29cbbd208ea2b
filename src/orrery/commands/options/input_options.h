// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share, and the question that they form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/commands/context.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/questions/job_description.h"

namespace orrery::commands {

using study::RecordedTraces;

/// Adds --traces, --rank, --threads, --no-link, --tensors as a separate group.
void add_recorded_options(CommandOptions& command, RecordedTraces& options);

/// Sets the workload from TRACES: a single path that is not a recording is the prefix of Chakra
/// traces; all other paths are recordings.
void take_paths(const std::vector<std::string>& paths, study::Question& question);

/// Adds --spec, --model, --tp … --set. With `positional`, files can be given without --spec.
void add_spec_options(CommandOptions& command, study::JobDescription& job, bool positional);

/// The file of a workload of AICB, if it is all that is given; else empty. It has layers with
/// times, so it is a workload by itself; with a model, only its plan counts.
[[nodiscard]] std::string aicb_file(const study::JobDescription& job);

/// The file of a compiled program (StableHLO, HLO), if it is all that is given; else empty.
[[nodiscard]] std::string program_file(const study::JobDescription& job);

/// Adds options of the execution, except --threads, which is one of the recorded options.
void add_work_options(CommandOptions& command, study::ExecutionOptions& work);

/// --stream as typed, for workloads that are larger than memory.
struct StreamOptions {
  /// --stream: empty = not given, "true" = the temporary folder, else a folder.
  std::string folder;
  /// Whether the command supports graphs in a file, for graphs that need too much memory.
  bool possible = false;

  [[nodiscard]] bool given() const { return !folder.empty(); }
};

/// Adds --stream. Graphs that do not fit in memory then go to the temporary folder.
void add_stream_option(CommandOptions& command, StreamOptions& options);

/// ASTRA-sim options that a question represents differently, or not at all.
struct AstraOptions {
  std::string rendezvous = "false";
  std::string logging_configuration, logging_folder;
};

/// The inputs as typed.
struct InputOptions : study::Question {
  std::string positional_workload;
  AstraOptions typed;
  StreamOptions stream;
};

/// Adds the options above.
void add_input_options(CommandOptions& command, InputOptions& options);

/// Adds the option of one more field of a question (study/questions/run_options.h).
void add_question_option(CommandOptions& command, study::Question& question, std::string_view name);

/// Validates the typed options and completes the question. Errc: usage, config_conflict,
/// input_not_found (no such folder).
[[nodiscard]] Result<void> check_input_options(InputOptions& options, Context& context);

/// Notes which options are ignored, and adds them to `findings`.
void note_ignored(const InputOptions& options, const Context& context, Findings& findings);

}  // namespace orrery::commands
