// SPDX-License-Identifier: Apache-2.0
//
// Connects threads: backward operators wait for their forward operators, if the trace contains the
// relation.
#include <algorithm>
#include <unordered_map>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

void connect(DependencyDraft& draft, EventId from, EventId to) {
  if (draft.profile.events[from].lane == draft.profile.events[to].lane) return;
  draft.add(from, to, DependencyKind::inter_thread, false);
}

/// By autograd's sequence numbers: connects the last forward operator of a number before the
/// backward operator.
void connect_sequences(DependencyDraft& draft) {
  const Profile& profile = draft.profile;
  struct Forward {
    std::int64_t sequence;
    Time start;
    EventId event;
  };
  std::vector<Forward> forward;
  std::vector<EventId> backward;
  for (const EventId e : draft.nodes) {
    const Event& event = profile.events[e];
    if (event.kind != Kind::op || !event.timed() || profile.op(e).sequence < 0) continue;
    if (profile.op(e).forward_thread == 0) {
      forward.push_back({profile.op(e).sequence, event.start, e});
    } else if (event.parent == kNoEvent || profile.events[event.parent].kind != Kind::op ||
               profile.op(event.parent).sequence != profile.op(e).sequence) {
      backward.push_back(e);  // the outermost operator of its number
    }
  }
  if (backward.empty()) return;
  std::sort(forward.begin(), forward.end(), [](const Forward& a, const Forward& b) {
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return a.start != b.start ? a.start < b.start : a.event < b.event;
  });
  for (const EventId e : backward) {
    const std::int64_t sequence = profile.op(e).sequence;
    const Time start = profile.events[e].start;
    auto place = std::upper_bound(forward.begin(), forward.end(), std::make_pair(sequence, start),
                                  [](const auto& key, const Forward& f) {
                                    return key < std::make_pair(f.sequence, f.start);
                                  });
    if (place == forward.begin()) continue;
    --place;
    if (place->sequence == sequence) connect(draft, place->event, e);
  }
}

/// By the forward node that an execution trace contains.
void connect_forward_parents(DependencyDraft& draft) {
  const Profile& profile = draft.profile;
  std::unordered_map<std::uint64_t, EventId> by_id;
  for (const EventId e : draft.nodes) {
    const Node* node = profile.node(e);
    if (node != nullptr && node->forward_parent != 0) by_id.emplace(node->forward_parent, kNoEvent);
  }
  if (by_id.empty()) return;
  for (const EventId e : draft.nodes) {
    const Node* node = profile.node(e);
    if (node == nullptr) continue;
    if (const auto place = by_id.find(node->id); place != by_id.end()) place->second = e;
  }
  for (const EventId e : draft.nodes) {
    const Node* node = profile.node(e);
    if (node == nullptr || node->forward_parent == 0 || node->forward_parent >= node->id) continue;
    if (const EventId from = by_id[node->forward_parent]; from != kNoEvent) connect(draft, from, e);
  }
}

}  // namespace

void connect_threads(DependencyDraft& draft) {
  for (const auto& [forward, backward] : draft.profile.forward_backward)
    connect(draft, forward, backward);
  if (draft.profile.forward_backward.empty()) {
    connect_sequences(draft);
    connect_forward_parents(draft);
  }
  connect_hand_offs(draft);
}

}  // namespace orrery::profile::draft
