// SPDX-License-Identifier: Apache-2.0
//
// Between threads: forward to backward operators, and hand-offs, where one thread falls idle just
// before another one, idle until then, goes on.
#include <algorithm>
#include <unordered_map>

#include "orrery/profile/dependencies_internal.h"

namespace orrery::profile::draft {
namespace {

void connect(Draft& draft, EventId from, EventId to) {
  if (draft.profile.events[from].lane == draft.profile.events[to].lane) return;
  draft.add(from, to, DependencyKind::inter_thread, false);
}

/// By autograd's sequence numbers: the last forward operator of that number before the backward
/// one.
void connect_sequences(Draft& draft) {
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
      backward.push_back(e);  // the outermost of its number
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

/// By the forward node an execution trace names.
void connect_forward_parents(Draft& draft) {
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

/// A stretch in which a thread runs no operator and no call, and nothing begins or ends on it:
/// annotations and Python frames may be around it.
struct Gap {
  Time begin{}, end{};
  std::uint32_t lane = 0;
  Place last = kNone;  ///< the last node that began before it
  Place next = kNone;  ///< the first node that begins after it
  bool first = false;  ///< nothing is known of the thread before; no length then
};

class HandOffs {
 public:
  explicit HandOffs(Draft& draft) : draft_(draft) {}

  void connect() {
    const auto& lanes = draft_.profile.lanes;
    std::size_t threads = 0;
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
      if (!lanes[lane].device && draft_.first_of_lane[lane] < draft_.first_of_lane[lane + 1])
        ++threads;
    }
    if (threads < 2) return;
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
      if (!lanes[lane].device) find_gaps(lane);
    }
    pair_gaps();
  }

 private:
  void find_gaps(std::uint32_t lane) {
    started_ = false;
    busy_ = 0;
    last_node_ = kNone;
    open_gaps_.clear();
    open_.clear();
    for (const EventId e : draft_.profile.in_order(lane)) {
      const Event& event = draft_.profile.events[e];
      if (!event.timed()) continue;
      while (!open_.empty() && open_.back().end <= event.start) close(lane);
      boundary(lane, event.start);
      const bool busy = is_busy(e);
      open_.push_back({event.end(), busy});
      busy_ += busy ? 1 : 0;
      if (const Place place = draft_.node_of[e]; place != kNone) {
        for (const std::size_t gap : open_gaps_) gaps_[gap].next = place;
        open_gaps_.clear();
        last_node_ = place;
      }
    }
    while (!open_.empty()) close(lane);
    if (started_) gaps_.push_back({now_, kTimeMax, lane, last_node_, kNone, false});
  }

  // Old traces have the iterations themselves as operators.
  [[nodiscard]] bool is_busy(EventId e) const {
    const Event& event = draft_.profile.events[e];
    if (event.kind == Kind::call) return true;
    if (event.kind == Kind::annotation)  // most are around others, a communication is not
      return draft_.profile.comm(e) != nullptr ||
             comm_kind_of(draft_.profile.name(e)) != CommKind::unknown;
    return event.kind == Kind::op &&
           (event.parent != kNoEvent || !draft_.profile.name(e).starts_with("ProfilerStep"));
  }

  void close(std::uint32_t lane) {
    boundary(lane, open_.back().end);
    busy_ -= open_.back().busy ? 1 : 0;
    open_.pop_back();
  }

  void boundary(std::uint32_t lane, Time when) {
    if (!started_ || (busy_ == 0 && when - now_ >= short_gap())) {
      open_gaps_.push_back(gaps_.size());
      gaps_.push_back({started_ ? now_ : when, when, lane, last_node_, kNone, !started_});
    }
    now_ = started_ ? std::max(now_, when) : when;
    started_ = true;
  }

  /// Of the two gaps of a hand-off one may be this short.
  [[nodiscard]] Time short_gap() const {
    return Time(draft_.options.inter_thread_gap.count() / 10);
  }
  [[nodiscard]] bool is_long(const Gap& gap) const {
    return gap.end == kTimeMax || gap.end - gap.begin >= draft_.options.inter_thread_gap;
  }

  /// For every gap's end the thread that fell idle last before it, close enough, and stayed so.
  void pair_gaps() {
    constexpr int kSteps = 64;
    std::vector<const Gap*> idle;
    for (const Gap& gap : gaps_) {
      if (!gap.first && gap.last != kNone) idle.push_back(&gap);
    }
    std::sort(idle.begin(), idle.end(), [](const Gap* a, const Gap* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->lane < b->lane;
    });
    std::uint64_t guessed = 0;
    const Time gap_limit = draft_.options.inter_thread_gap;
    for (const Gap& gap : gaps_) {
      if (gap.next == kNone || gap.end == kTimeMax) continue;
      const Time half = Time((gap.end - gap.begin).count() / 2);
      const Time limit = gap.first ? gap_limit * 10 : std::max(gap_limit, half);
      auto place = std::upper_bound(idle.begin(), idle.end(), gap.end,
                                    [](Time when, const Gap* g) { return when < g->begin; });
      for (int step = 0; step < kSteps && place != idle.begin(); ++step) {
        const Gap& other = **--place;
        if (gap.end - other.begin > limit) break;
        if (other.lane == gap.lane || other.end <= gap.end) continue;
        if (!is_long(gap) && !is_long(other)) continue;
        if (!gap.first && other.begin <= gap.begin) break;
        if (draft_.at[other.last] > draft_.at[gap.next]) continue;  // an annotation to the very end
        draft_.edges.push_back({other.last, gap.next, DependencyKind::inter_thread, true});
        ++guessed;
        break;
      }
    }
    if (guessed > 0)
      draft_.findings.add(FindingCode::inter_thread_guessed, draft_.profile.where, guessed);
  }

  Draft& draft_;
  std::vector<Gap> gaps_;
  struct Open {
    Time end{};
    bool busy = false;
  };
  // Of the thread that is being read
  std::vector<Open> open_;  // what is running, the innermost last
  std::size_t busy_ = 0;    // operators and calls among it
  bool started_ = false;
  Time now_{};
  Place last_node_ = kNone;
  std::vector<std::size_t> open_gaps_;  // whose next node is still to come
};

}  // namespace

void connect_threads(Draft& draft) {
  for (const auto& [forward, backward] : draft.profile.forward_backward)
    connect(draft, forward, backward);
  if (draft.profile.forward_backward.empty()) {
    connect_sequences(draft);
    connect_forward_parents(draft);
  }
  HandOffs(draft).connect();
}

}  // namespace orrery::profile::draft
