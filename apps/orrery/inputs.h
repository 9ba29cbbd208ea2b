// SPDX-License-Identifier: Apache-2.0
//
// The question that a command line asks.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/inputs.h"
#include "orrery/study/question.h"
#include "recorded.h"
#include "session.h"
#include "spec_options.h"
#include "stream_option.h"

namespace orrery::app {

/// What was typed.
struct InputOptions : study::Question {
  std::string positional_workload;
  std::string logging_configuration, logging_folder;
  std::string rendezvous = "false";
  StreamOptions stream;
};

/// Adds the options above. With `needed`, help shows the workload as required.
void add_input_options(CLI::App& command, InputOptions& options);

/// Makes a settled question of what was typed: Errc::usage and config_conflict, input_not_found (no
/// such folder).
[[nodiscard]] Result<void> check_input_options(InputOptions& options, Session& session);

/// Says what of it is ignored. `findings` gets it, too.
void note_ignored(const InputOptions& options, const Session& session, Findings& findings);

}  // namespace orrery::app
