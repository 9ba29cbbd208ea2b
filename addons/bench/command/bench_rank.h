// SPDX-License-Identifier: Apache-2.0
//
// Ranks that `orrery bench` replays: found, read, planned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/command/bench_options.h"
#include "addons/bench/text/bench_text.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"

namespace orrery::app {

[[nodiscard]] std::int64_t now_ns();

/// The rank to be replayed: the one asked for, or the only one that there is. Errc: usage, and of
/// find_ranks and read_rank.
[[nodiscard]] Result<intake::RankTrace> read_one(const BenchOptions& options,
                                                 const std::vector<std::string>& traces,
                                                 Findings& findings);

/// The files of the ranks that are asked for; of all without a word. Errc: usage, and of
/// find_ranks.
[[nodiscard]] Result<std::vector<intake::RankFiles>> ranks_asked(
    const BenchOptions& options, const std::vector<std::string>& traces, Findings& findings);

/// A rank's plan, and its text.
struct Planned {
  present::Benchmark made;
  std::string text;
};

/// Errc: what `rank` has, and of make_plan, read_run, set_delays.
[[nodiscard]] Result<Planned> plan_rank(const BenchOptions& options,
                                        const bench::PlanOptions& asked, const BenchModule& module,
                                        const Result<intake::RankTrace>& rank,
                                        std::int64_t load_ns);

}  // namespace orrery::app
