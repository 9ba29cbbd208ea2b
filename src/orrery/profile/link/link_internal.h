// SPDX-License-Identifier: Apache-2.0
//
// What linking and attaching share, and the steps of linking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// "file: "name"", to tell where something was found.
[[nodiscard]] std::string place_of(const Profile& profile, EventId event);

/// Fills what `into` does not say with what `from` says, unless they are of different kinds.
void fill_missing(Comm& into, const Comm& from);

/// For every event of the host its event in the device, or kNoEvent; and the same for lanes.
struct Links {
  std::vector<EventId> event;
  std::vector<std::uint32_t> lane;
};

/// True for an operator or annotation; false for the nodes that stand for the process and threads.
[[nodiscard]] bool is_linkable(const Profile& profile, EventId event);

/// Ids that can be trusted so far that what has one and found nothing by it has no partner.
struct IdLinks {
  bool record_functions_decide = false;
  bool external_ids_decide = false;
};

/// Links by ids that both files have and whose names agree. Adds to `links` and `report`.
[[nodiscard]] IdLinks link_by_ids(const Profile& device, const Profile& host, Links& links,
                                  LinkReport& report);

/// The device's lane of each thread of the host, or kNone: that with the most links, or else the
/// most names in common. `linked`: events of the device that are.
[[nodiscard]] std::vector<std::uint32_t> match_threads(const Profile& device, const Profile& host,
                                                       const Links& links,
                                                       const std::vector<std::uint8_t>& linked);

/// Links what is left by order, thread by thread, and tells which threads are the same. Where
/// nothing is linked by ids and an annotated iteration of the device has 19 of 20 of the operators
/// found, they are all of that one: of steps that repeat each has them.
void link_by_order(const Profile& device, const Profile& host, const IdLinks& ids, Links& links,
                   LinkReport& report);

/// Whether an event of the device that stands inside of `seems` (or of nothing) may have been
/// inside of `around` (kNoEvent: of nothing), but for times in whole microseconds.
[[nodiscard]] bool is_nesting_within_rounding(const Profile& device, EventId event, EventId around,
                                              EventId seems);

/// Where a thread's times are whole microseconds, moves begins and ends of linked operators by what
/// was rounded off, so that they are inside each other as in `host`. O(events x depth).
void restore_nesting(Profile& device, const Profile& host, const Links& links);

/// Moves everything of `host` into `device`: what is linked becomes part of its operator, the rest
/// untimed events. `links` is then complete.
void merge(Profile& device, Profile&& host, Links& links, Findings& findings);

}  // namespace orrery::profile
