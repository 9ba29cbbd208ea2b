// SPDX-License-Identifier: Apache-2.0
//
// The duration of communication in a replay, and its exposed part.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// The communications of one kind. Times are means per iteration, summed over the communications.
struct CommunicationTime {
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint64_t count = 0;
  std::int64_t bytes = 0;       ///< of this rank; unknown sizes count as 0
  Time recorded{};              ///< duration of the recorded kernels; 0: unknown
  std::int64_t length_ns = 0;   ///< from begin to end
  std::int64_t exposed_ns = 0;  ///< the host waits for it
  std::int64_t hidden_ns = 0;   ///< in progress without the host waiting
};

/// By kind, by `length_ns`, descending. O(steps · iterations).
[[nodiscard]] std::vector<CommunicationTime> communication_times(const ReplayPlan& plan,
                                                                 const ReplayOutcome& outcome);

}  // namespace orrery::bench
