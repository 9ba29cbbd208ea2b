// SPDX-License-Identifier: Apache-2.0
//
// A recorded rank with simulated times.
#pragma once

#include <span>

#include "orrery/core/findings.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Start and end of a node in the simulation; negative if it never ran.
struct NodeSpan {
  Time start{-1};
  Time end{-1};

  [[nodiscard]] bool ran() const { return end >= Time{}; }
};

/// Moves all timed events to the times at which the nodes of `dependencies` ran (`spans`, by node),
/// on the profile's own clock. A device work lasts as long as its node, plus its recorded overlap
/// with the previous work. An event within a step of a thread keeps its relative position. Before
/// the end of the step's wait, its distance from the previous step stays the same. After the wait,
/// it scales with the step's work. `recorded`: recorded costs (Dependencies::cost before changes).
/// Indexes the profile again. O(events log events).
void retime(Profile& profile, const Dependencies& dependencies, std::span<const Time> recorded,
            std::span<const NodeSpan> spans, Findings& findings);

}  // namespace orrery::profile
