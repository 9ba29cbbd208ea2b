// SPDX-License-Identifier: Apache-2.0
//
// Functions that link and attach share, and the steps of link. `device`: the device trace; `host`:
// the execution trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// "file: "name"": the place of an event in findings.
[[nodiscard]] std::string place_of(const Profile& profile, EventId event);

/// The innermost enclosing event for which `wanted` is true, within a maximum depth.
template <class Wanted>
EventId enclosing_event(const Profile& profile, EventId event, Wanted wanted) {
  constexpr int kMaxLevels = 1024;
  EventId at = profile.events[event].parent;
  for (int up = 0; at != kNoEvent && !wanted(at); ++up)
    at = up < kMaxLevels ? profile.events[at].parent : kNoEvent;
  return at;
}

/// Sets the unknown members of `into` from `from`, unless their kinds differ.
void fill_missing(Comm& into, const Comm& from);

/// By event of the host: its event in the device, or kNoEvent. By lane of the host: its lane in the
/// device.
struct Links {
  std::vector<EventId> event;
  std::vector<std::uint32_t> lane;
};

/// True for an operator or annotation; false for the nodes of the process and its threads.
[[nodiscard]] bool is_linkable(const Profile& profile, EventId event);

/// Whether ids are complete: then an event with an id but without a link has no partner.
struct IdLinks {
  bool record_functions_decide = false;
  bool external_ids_decide = false;
};

/// Links events by ids that both files have, if their names agree. Adds to `links` and `report`.
[[nodiscard]] IdLinks link_by_ids(const Profile& device, const Profile& host, Links& links,
                                  LinkReport& report);

/// By thread of the host: the device's lane with the most links, else with the most common names,
/// or kNone. `linked`: nonzero for linked events of the device.
[[nodiscard]] std::vector<std::uint32_t> match_threads(const Profile& device, const Profile& host,
                                                       const Links& links,
                                                       const std::vector<std::uint8_t>& linked);

/// Links the remaining events by order, thread by thread, and fills Links::lane. If no events are
/// linked by ids, and one annotated iteration of the device contains 19 of 20 of the matches, all
/// links are in that iteration: repeating steps match equally well.
void link_by_order(const Profile& device, const Profile& host, const IdLinks& ids, Links& links,
                   LinkReport& report);

/// True if an event of the device inside of `observed` (or of no event) may have been inside of
/// `around` (kNoEvent: no event) before its times were rounded to whole microseconds.
[[nodiscard]] bool is_nesting_within_rounding(const Profile& device, EventId event, EventId around,
                                              EventId observed);

/// On threads with times in whole microseconds, moves begins and ends of linked operators within
/// the rounding error so that they nest as in `host`. O(events x depth).
void restore_nesting(Profile& device, const Profile& host, const Links& links);

/// Moves all events of `host` into `device`. Linked events become part of their operator; the
/// others become untimed events. Completes `links`.
void merge(Profile& device, Profile&& host, Links& links, Findings& findings);

}  // namespace orrery::profile
