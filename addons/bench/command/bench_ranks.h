// SPDX-License-Identifier: Apache-2.0
//
// Replays several ranks concurrently, in one process per rank. The processes communicate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/commands/context.h"
#include "orrery/core/error.h"

namespace orrery::commands {

/// The mode of `orrery bench` with which this program starts itself for one rank.
inline constexpr const char* kPlayRank = "play-rank";

struct RankReplay {
  std::uint32_t rank = 0;
  const bench::ReplayPlan* plan = nullptr;
  std::string text;  ///< text of the plan
};

/// Replays all ranks, for which check_agreement must have succeeded, in child processes. They end
/// with this process and leave no files. If one fails, or does not finish within `how.timeout_ms`
/// after another one, all are stopped. Errc: limit_exceeded (with the message of the rank).
[[nodiscard]] Result<std::vector<bench::ReplayOutcome>> replay_ranks(
    const std::vector<RankReplay>& ranks, const ReplaySettings& how);

/// Runs in the child process: reads the question from stdin and writes the answer to stdout.
int replay_rank(const Context& context);

}  // namespace orrery::commands
