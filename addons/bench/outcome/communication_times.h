// SPDX-License-Identifier: Apache-2.0
//
// What communications took in a replay, and how much of that nothing hid.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// Those of one kind. Times are means per iteration, summed over its communications.
struct CommunicationTime {
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint64_t count = 0;
  std::int64_t bytes = 0;       ///< of this rank; those that are known
  Time recorded{};              ///< of the recording's kernels; 0: not known
  std::int64_t length_ns = 0;   ///< under way
  std::int64_t exposed_ns = 0;  ///< waited for by the host
  std::int64_t hidden_ns = 0;   ///< under way and not waited for
};

/// By kind, the longest first. O(steps · iterations).
[[nodiscard]] std::vector<CommunicationTime> communication_times(const ReplayPlan& plan,
                                                                 const ReplayOutcome& outcome);

}  // namespace orrery::bench
