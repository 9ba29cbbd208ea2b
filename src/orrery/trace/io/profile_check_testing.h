// SPDX-License-Identifier: Apache-2.0
//
// For fuzzers: checks the result of any reader of recordings.
#pragma once

#include "orrery/core/check.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::trace::testing {

/// An error has a place and a text. In a profile, every record is counted and every event is on a
/// lane. Returns true for a profile.
inline bool check_profile(const Result<profile::Profile>& profile) {
  if (!profile) {
    ORRERY_CHECK(!profile.error().where.empty() && !profile.error().what.empty());
    return false;
  }
  std::uint64_t records = profile->account.events + profile->account.mapped;
  for (const auto& [what, count] : profile->account.left_out) records += count;
  ORRERY_CHECK(profile->account.records == records);
  for (std::size_t e = 0; e < profile->events.size(); ++e) {
    const profile::Event& event = profile->events[static_cast<profile::EventId>(e)];
    ORRERY_CHECK(event.duration >= Time{} && event.lane < profile->lanes.size());
  }
  return true;
}

}  // namespace orrery::trace::testing
