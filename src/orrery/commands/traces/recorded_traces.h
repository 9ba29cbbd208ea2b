// SPDX-License-Identifier: Apache-2.0
//
// Commands on recorded traces (Kineto, PyTorch execution traces, Nsight Systems).
#pragma once

#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/study/questions/inputs/recorded_traces.h"

namespace orrery::commands {

/// study::read_ranks, with its progress in the context.
[[nodiscard]] inline Result<intake::Job> read_ranks(
    const RecordedTraces& recorded, const Context& context, Findings& findings,
    const std::function<void(intake::RankTrace&)>& use) {
  Progress progress(context);
  const auto report = [&](std::uint32_t ranks, std::uint32_t of) { progress.reading(ranks, of); };
  return study::read_ranks(recorded, report, findings, use);
}

/// orrery trace validate, for recorded traces.
int check_recorded(const RecordedTraces& options, Context& context);
/// orrery trace info, for recorded traces.
int inspect_recorded(const RecordedTraces& options, Context& context);

}  // namespace orrery::commands
