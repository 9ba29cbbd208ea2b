// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

CallEffect* DependencyDraft::effect(EventId call) {
  if (call == kNoEvent || profile.events[call].kind != Kind::call) return nullptr;
  return &effects[profile.events[call].detail];
}

void DependencyDraft::add(EventId from, EventId to, DependencyKind kind, bool guessed) {
  if (from == kNoEvent || to == kNoEvent) return;
  const NodePosition earlier = node_of[from];
  const NodePosition later = node_of[to];
  if (earlier == kNone || later == kNone || earlier == later) return;
  edges.push_back({earlier, later, kind, guessed});
}

std::string wait_place(const Profile& profile, EventId later, EventId earlier) {
  return profile.where + ": \"" + std::string(profile.name(later)) + "\" waits for \"" +
         std::string(profile.name(earlier)) + '"';
}

}  // namespace orrery::profile::draft
