// SPDX-License-Identifier: Apache-2.0
//
// Whether plans of several ranks can be played together.
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

/// All members of every group are played; in each group they begin the same collectives in the same
/// order, from the same root, of equally many bytes where that has to be; as many messages are
/// received as are sent. (Of splits of all-to-all only how many there are is looked at.) Groups of
/// the same ranks are told apart by the order in which a rank's plan first uses them. `ranks`
/// ascending. Errc: input_group, input_mismatch (names the first that would wait for ever).
/// O(exchanges · log).
[[nodiscard]] Result<void> check_agreement(const std::vector<RankPlan>& ranks);

}  // namespace orrery::bench
