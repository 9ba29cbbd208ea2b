// SPDX-License-Identifier: Apache-2.0
//
// Recorded traces as the workload of a question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/intake/job/job.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {

/// Whether the first file that one of `paths` matches is, or contains, a recorded trace. The
/// content decides, not the name. False for paths without a file.
[[nodiscard]] bool is_recorded_traces(const std::vector<std::string>& paths);

/// Converts the options. Errc::usage for an invalid rank or number of threads.
[[nodiscard]] Result<intake::JobOptions> job_options(const RecordedTraces& recorded);

/// Receives the number of ranks that are read, and of all ranks.
using ReadProgress = std::function<void(std::uint32_t ranks, std::uint32_t of)>;

/// Reads the recorded ranks and passes each to `use`, in ascending order. Adds their findings to
/// `findings`. Errc: those of job_options() and intake::for_each_rank.
[[nodiscard]] Result<intake::Job> read_ranks(const RecordedTraces& recorded,
                                             const ReadProgress& progress, Findings& findings,
                                             const std::function<void(intake::RankTrace&)>& use);

/// Counts a finding, replicas_in_turn, if several traces replicate to a number of ranks other than
/// `traces`.
void count_replicated_traces(std::size_t traces, std::uint32_t ranks, Findings& findings);

/// The recorded step time: the median over the iterations of all ranks, without the first iteration
/// of each rank, which is often a warm-up. Without iterations, the length of the recording. Errc:
/// as intake::load_job; input_unsupported if no event has a time.
[[nodiscard]] Result<Time> recorded_step(const RecordedTraces& recorded, Findings& findings,
                                         Watch& watch);

}  // namespace orrery::study
