// SPDX-License-Identifier: Apache-2.0
//
// A command as a function: its name and a question as JSON in, an answer out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/commands/context.h"
#include "orrery/result/run.h"

namespace orrery::commands {

struct CallOptions {
  /// Called during the command, one call at a time, from any of its threads. May be empty.
  std::function<void(const ProgressPhase&, std::uint64_t done, std::uint64_t of)> progress;
  /// Called as often as `progress`, under the same rules. Returns true to end the command with
  /// status kInterrupted.
  std::function<bool()> cancelled;
  bool keep_run = false;  ///< for commands that simulate or read a run (CallAnswer::run)
  /// Functions that change predicted times; empty: none. Only for the command `run`. Arguments:
  /// see model::CallerModels::Function. A result that is not above 0, or not below
  /// model::CallerModels::kMaxSeconds, ends the command with status kInterrupted.
  std::function<double(const std::string&about, std::optional<double> predicted)> kernel_time,
      network_time;
  /// For traces beyond half of the memory; empty: all traces stay in memory.
  std::string temporary_folder;
};

struct CallAnswer {
  int status = kOk;                        ///< the exit code of the command line
  std::string json;                        ///< output of --json; if the command failed, its error
  std::string text;                        ///< output without --json
  std::vector<std::string> notes;          ///< output on stderr: notes, warnings, errors
  std::shared_ptr<const result::Run> run;  ///< with CallOptions::keep_run
};

/// Calls a command. `question`: a JSON object of its options by name, as `orrery schema question
/// COMMAND` describes, and of the files that it writes ("output", "html"); "" is {}. Concurrent
/// calls are independent. Errors are answers, too: their status is that of the command line, and
/// their JSON contains "error".
[[nodiscard]] CallAnswer call(std::string_view command, std::string_view question,
                              const CallOptions& options = {});

}  // namespace orrery::commands
