// SPDX-License-Identifier: Apache-2.0
//
// A recorded rank with other times: what a simulation of it comes to, as a recording.
#pragma once

#include <span>

#include "orrery/core/findings.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// When a node ran; empty if it never did.
struct NodeSpan {
  Time start{-1};
  Time end{-1};

  [[nodiscard]] bool ran() const { return end >= Time{}; }
};

/// Moves all timed events to where the nodes of `dependencies` (`spans`, in their order) ran, on
/// the profile's own clock. Device work lasts as long as its node, and what of it was recorded
/// beside the work before it on its stream goes with it. What happens within the steps of a thread
/// keeps its place in them: before what the step waited for had ended at its distance from the step
/// before, afterwards in proportion to the step's work. `recorded` says what the steps took when
/// they were recorded (Dependencies::cost before it was changed). Indexes the profile anew.
/// O(events log events).
void retime(Profile& profile, const Dependencies& dependencies, std::span<const Time> recorded,
            std::span<const NodeSpan> spans, Findings& findings);

}  // namespace orrery::profile
