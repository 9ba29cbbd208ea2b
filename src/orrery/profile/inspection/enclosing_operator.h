// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/profile/profile.h"

namespace orrery::profile {

/// The innermost operator that encloses a host event; kNoEvent: none. O(depth of nesting)
[[nodiscard]] inline EventId enclosing_operator(const Profile& profile, EventId event) {
  EventId above = profile.events[event].parent;
  while (above != kNoEvent && profile.events[above].kind != Kind::op)
    above = profile.events[above].parent;
  return above;
}

}  // namespace orrery::profile
