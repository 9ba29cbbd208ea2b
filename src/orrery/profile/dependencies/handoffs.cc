// SPDX-License-Identifier: Apache-2.0
//
// Hand-offs between threads. One thread falls idle just before another one, idle until then, goes
// on: it has handed over. One that has handed over waits for the other, and takes from it what it
// goes on with, also while the other still works. Where a gap is too short, or in an operator, both
// of its ends must say so: the other worked from soon after its beginning to shortly before its
// end. A thread that begins has been woken, by the one that does most if nothing else is known.
// Whatever else a thread does not do for long is waiting, too, but nobody knows for what.
#include <algorithm>

#include "orrery/profile/dependencies/thread_gaps.h"

namespace orrery::profile::draft {
namespace {

class HandOffs {
 public:
  explicit HandOffs(DependencyDraft& draft) : draft_(draft), gaps_(draft, short_gap(draft)) {}

  void connect() {
    find_idle();
    for (const ThreadGap& gap : gaps_.all()) {
      if (gap.next == kNone || gap.end == kTimeMax) continue;
      const bool alone = !gap.inside && (gap.first || is_long(gap));  // its end may say it alone
      if (alone ? from_idle_thread(gap) || lend(gap)
                : lend(gap) || (!gap.inside && from_idle_thread(gap)))
        continue;
      if (alone) (gap.first ? beginning_ : unexplained_).push_back(&gap);
    }
    std::sort(handed_.begin(), handed_.end(),
              [](const HandedOver& a, const HandedOver& b) { return a.when < b.when; });
    for (const ThreadGap* gap : unexplained_) from_busy_thread(*gap);
    for (const ThreadGap* gap : beginning_) from_busiest_thread(*gap);
    finish();
  }

 private:
  static constexpr int kSteps = 64;  // how far one looks for another thread

  struct HandedOver {
    Time when{};
    std::uint32_t from = 0, to = 0;
  };

  /// Of the two gaps of a hand-off one may be this short.
  [[nodiscard]] static Time short_gap(const DependencyDraft& draft) {
    return Time(draft.options.inter_thread_gap.count() / 10);
  }
  [[nodiscard]] Time limit() const { return draft_.options.inter_thread_gap; }
  [[nodiscard]] bool is_long(const ThreadGap& gap) const {
    return gap.end == kTimeMax || gap.length() >= limit();
  }

  void find_idle() {
    for (const ThreadGap& gap : gaps_.all()) {
      if (!gap.first && !gap.inside && gap.last != kNone) idle_.push_back(&gap);
      if (waits_for_somebody(gap)) draft_.idle.push_back({gap.next, gap.begin, gap.end});
    }
    std::sort(idle_.begin(), idle_.end(), [](const ThreadGap* a, const ThreadGap* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->lane < b->lane;
    });
  }

  /// The thread is idle, and the one that does most is not all the while.
  [[nodiscard]] bool waits_for_somebody(const ThreadGap& gap) const {
    if (gap.around != kNoEvent || gap.first || gap.next == kNone || gap.end == kTimeMax ||
        !is_long(gap))
      return false;
    if (gap.lane == gaps_.busiest()) return false;
    const ThreadGap* other = gaps_.before(gaps_.busiest(), gap.begin);
    return other == nullptr || other->inside || other->end < gap.end;
  }

  /// Gaps that began by then, the last one first.
  template <class Each>
  void for_each_before(Time when, const Each& each) const {
    auto place =
        std::upper_bound(idle_.begin(), idle_.end(), when,
                         [](Time time, const ThreadGap* gap) { return time < gap->begin; });
    for (int step = 0; step < kSteps && place != idle_.begin(); ++step) {
      if (!each(**--place)) return;
    }
  }

  bool add(NodePosition from, NodePosition to, Time when) {
    if (draft_.at[from] > draft_.at[to]) return false;
    made_.emplace_back(from, to);
    handed_.push_back({when, draft_.event(from).lane, draft_.event(to).lane});
    return true;
  }

  /// For the end of a gap the thread that fell idle last before it, close enough, and stayed so.
  bool from_idle_thread(const ThreadGap& gap) {
    const Time half = Time(gap.length().count() / 2);
    const Time longest = gap.first ? limit() * 10 : std::max(limit(), half);
    bool found = false;
    for_each_before(gap.end, [&](const ThreadGap& other) {
      if (gap.end - other.begin > longest) return false;
      if (other.lane == gap.lane || other.end <= gap.end) return true;
      if (!is_long(gap) && !is_long(other)) return true;
      if (!gap.first && other.begin <= gap.begin) return false;
      found = add(other.last, gap.next, gap.end);
      return !found;
    });
    return found;
  }

  /// The thread handed over when the gap began, and another one, idle before and afterwards, worked
  /// for most of it.
  bool lend(const ThreadGap& gap) {
    if (gap.first || gap.last == kNone) return false;
    bool found = false;
    for_each_before(gap.end, [&](const ThreadGap& after) {
      if (after.begin <= gap.begin || gap.end - after.begin > limit()) return false;
      if (after.lane == gap.lane || after.end <= gap.end) return true;
      const ThreadGap* before = gaps_.before(after.lane, gap.begin);
      if (before == nullptr) before = &gaps_.of(after.lane).front();
      const bool idle = before->end > gap.begin && before->end - gap.begin <= limit();
      if (!idle || before->inside || before->next == kNone) return true;
      if ((after.begin - before->end) * 2 < gap.length()) return true;
      if (draft_.at[gap.last] > draft_.at[before->next]) return true;
      if (draft_.at[after.last] > draft_.at[gap.next]) return true;
      // A communication waits for its peers.
      if (gap.inside && draft_.profile.comm(gap.around) != nullptr) return false;
      add(gap.last, before->next, before->end);
      found = add(after.last, gap.next, gap.end);
      return false;
    });
    return found;
  }

  /// The thread that this one handed over to still works: its last step before the gap's end.
  void from_busy_thread(const ThreadGap& gap) {
    auto place =
        std::upper_bound(handed_.begin(), handed_.end(), gap.end,
                         [](Time time, const HandedOver& handed) { return time < handed.when; });
    for (int step = 0; step < kSteps && place != handed_.begin(); ++step) {
      --place;
      if (place->from != gap.lane) continue;
      const ThreadGap* before = gaps_.before(place->to, gap.end);
      if (before != nullptr && !before->inside && before->end > gap.end) continue;  // idle
      const auto steps = draft_.at.begin() + draft_.lane_offsets[place->to];
      const auto end = draft_.at.begin() + draft_.lane_offsets[place->to + 1];
      const auto after = std::upper_bound(steps, end, gap.end);
      if (after == steps || *std::prev(after) <= gap.begin) return;
      made_.emplace_back(static_cast<NodePosition>(std::prev(after) - draft_.at.begin()), gap.next);
      return;
    }
  }

  /// Somebody wakes a thread that has done nothing yet: most likely the thread that does most, with
  /// its last step before.
  void from_busiest_thread(const ThreadGap& gap) {
    if (gap.lane == gaps_.busiest() || gaps_.busiest() == kNone) return;
    const auto steps = draft_.at.begin() + draft_.lane_offsets[gaps_.busiest()];
    const auto end = draft_.at.begin() + draft_.lane_offsets[gaps_.busiest() + 1];
    const auto after = std::upper_bound(steps, end, gap.end);
    if (after == steps || gap.end - *std::prev(after) > limit() * 10) return;
    made_.emplace_back(static_cast<NodePosition>(std::prev(after) - draft_.at.begin()), gap.next);
  }

  void finish() {
    std::sort(made_.begin(), made_.end());
    made_.erase(std::unique(made_.begin(), made_.end()), made_.end());
    for (const auto& [from, to] : made_)
      draft_.edges.push_back({from, to, DependencyKind::inter_thread, true});
    if (!made_.empty())
      draft_.findings.add(FindingCode::inter_thread_guessed, draft_.profile.where, made_.size());
  }

  DependencyDraft& draft_;
  ThreadGaps gaps_;
  std::vector<const ThreadGap*> idle_;  // what may have handed over, by beginning
  std::vector<const ThreadGap*> unexplained_, beginning_;
  std::vector<HandedOver> handed_;
  std::vector<std::pair<NodePosition, NodePosition>> made_;  // edges
};

}  // namespace

void connect_hand_offs(DependencyDraft& draft) {
  const auto& lanes = draft.profile.lanes;
  std::size_t threads = 0;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    if (!lanes[lane].device && draft.lane_offsets[lane] < draft.lane_offsets[lane + 1]) ++threads;
  }
  if (threads > 1) HandOffs(draft).connect();
}

}  // namespace orrery::profile::draft
