// SPDX-License-Identifier: Apache-2.0
//
// Several ranks of a replay at a time: a process for each, which communicate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/plan/replay_plan.h"
#include "apps/orrery/session.h"
#include "orrery/core/error.h"

namespace orrery::app {

/// The word after `orrery bench` by which this program starts itself.
inline constexpr const char* kPlayRank = "play-rank";

struct RankReplay {
  std::uint32_t rank = 0;
  const bench::ReplayPlan* plan = nullptr;
  std::string text;  ///< of the plan
};

/// Plays all of them (check_agreement has nothing against it), by processes that end with this one
/// and leave no files behind. Where one fails, or is not done `how.timeout_ms` after another one,
/// all are ended. Errc: limit_exceeded (with the rank's own words).
[[nodiscard]] Result<std::vector<bench::ReplayOutcome>> play_together(
    const std::vector<RankReplay>& ranks, const ReplaySettings& how);

/// What such a process does: the question is on stdin, the answer goes to stdout.
int play_rank(const Session& session);

}  // namespace orrery::app
