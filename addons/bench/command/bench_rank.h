// SPDX-License-Identifier: Apache-2.0
//
// Finds, reads and plans the ranks that `orrery bench` replays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/command/bench_options.h"
#include "addons/bench/text/bench_answer.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"

namespace orrery::commands {

[[nodiscard]] std::int64_t now_ns();

/// The rank to replay: --rank, or the only rank. Errc: usage, and those of find_ranks and
/// read_rank.
[[nodiscard]] Result<intake::RankTrace> read_selected_rank(const BenchOptions& options,
                                                           const std::vector<std::string>& traces,
                                                           Findings& findings);

/// The files of the ranks in --ranks, or of all ranks. Errc: usage, and those of find_ranks.
[[nodiscard]] Result<std::vector<intake::RankFiles>> selected_ranks(
    const BenchOptions& options, const std::vector<std::string>& traces, Findings& findings);

/// The plan of a rank, and its text.
struct PlannedRank {
  present::Benchmark benchmark;
  std::string text;
};

/// Makes the plan of a rank. Errc: that of `rank`, and those of make_plan, read_run, set_delays.
[[nodiscard]] Result<PlannedRank> plan_rank(const BenchOptions& options,
                                            const bench::PlanOptions& asked,
                                            const BenchModule& module,
                                            const Result<intake::RankTrace>& rank,
                                            std::int64_t load_ns);

}  // namespace orrery::commands
