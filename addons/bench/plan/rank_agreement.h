// SPDX-License-Identifier: Apache-2.0
//
// Checks whether the plans of several ranks can be replayed together.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

struct RankPlan {
  std::uint32_t rank = 0;
  const ReplayPlan* plan = nullptr;
};

/// Checks that all members of each group are replayed. In each group, members must begin the same
/// collectives in the same order, from the same root, with equal bytes where required, and the
/// numbers of sends and receives must match. (For splits of all-to-all, only the number is
/// checked.) Groups with the same ranks are distinguished by the order in which a rank's plan first
/// uses them. `ranks` ascending. Errc: input_group, input_mismatch (names the first exchange that
/// would deadlock). O(exchanges · log).
[[nodiscard]] Result<void> check_agreement(const std::vector<RankPlan>& ranks);

}  // namespace orrery::bench
