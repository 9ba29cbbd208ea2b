// SPDX-License-Identifier: Apache-2.0
//
// Recorded traces (Kineto, PyTorch execution traces, Nsight Systems) as a command's input.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/intake/job/job.h"
#include "orrery/study/recorded.h"
#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

using study::RecordedTraces;

/// Adds --traces, --rank, --threads, --no-link, --tensors in a group of their own.
void add_recorded_options(CLI::App& command, RecordedTraces& options);

/// "rank 3 of 8": places in a job.
[[nodiscard]] std::string ranks_of(const intake::Job& job);

/// What can be said of any job: groups, how communications matched, clocks. For text and JSON.
[[nodiscard]] std::string job_text(const intake::Job& job, report::Style style);

/// orrery check, for recorded traces.
int check_recorded(const RecordedTraces& options, Session& session);
/// orrery inspect, for recorded traces.
int inspect_recorded(const RecordedTraces& options, Session& session);

}  // namespace orrery::app
