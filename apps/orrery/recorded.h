// SPDX-License-Identifier: Apache-2.0
//
// Recorded traces (Kineto, PyTorch execution traces, Nsight Systems) as a command's input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/intake/job.h"
#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// What was typed.
struct RecordedOptions {
  std::vector<std::string> traces;      ///< --traces: files and patterns
  std::int64_t rank = -1;               ///< --rank; -1 = found
  std::optional<std::int64_t> threads;  ///< empty or 0 = all cores
  bool apart = false;                   ///< --no-link
  bool tensors = false;                 ///< --tensors
};

/// Adds --traces, --rank, --threads, --no-link, --tensors in a group of their own.
void add_recorded_options(CLI::App& command, RecordedOptions& options);

/// True when the first file that one of `paths` names is, or holds, a recorded trace, by content.
/// Paths that name no file are none.
[[nodiscard]] bool are_recorded(const std::vector<std::string>& paths);

/// Errc::usage for numbers that cannot be.
[[nodiscard]] Result<intake::JobOptions> job_options(const RecordedOptions& options);

/// "rank 3 of 8": places in a job.
[[nodiscard]] std::string ranks_of(const intake::Job& job);

/// What can be said of any job: groups, how communications matched, clocks. For text and JSON.
[[nodiscard]] std::string job_text(const intake::Job& job, report::Style style);

/// orrery check, for recorded traces.
int check_recorded(const RecordedOptions& options, Session& session);
/// orrery inspect, for recorded traces.
int inspect_recorded(const RecordedOptions& options, Session& session);

}  // namespace orrery::app
