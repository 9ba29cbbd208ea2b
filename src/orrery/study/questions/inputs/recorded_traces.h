// SPDX-License-Identifier: Apache-2.0
//
// Recorded traces as the workload of a question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/intake/job/job.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {

/// True when the first file that one of `paths` names is, or holds, a recorded trace, by content.
/// Paths that name no file are none.
[[nodiscard]] bool is_recorded_traces(const std::vector<std::string>& paths);

/// Errc::usage for numbers that cannot be.
[[nodiscard]] Result<intake::JobOptions> job_options(const RecordedTraces& recorded);

/// Counts (replicas_in_turn) that several traces stand for another number of ranks.
void count_replicated_traces(std::size_t traces, std::uint32_t ranks, Findings& findings);

/// A step as it was recorded: the median of all iterations of all ranks but each rank's first,
/// which is often warming up; without iterations the whole of the recording. Errc: as
/// intake::load_job; input_unsupported where nothing has a time.
[[nodiscard]] Result<Time> recorded_step(const RecordedTraces& recorded, Findings& findings,
                                         Watch& watch);

}  // namespace orrery::study
