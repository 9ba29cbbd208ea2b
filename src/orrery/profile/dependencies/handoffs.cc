// SPDX-License-Identifier: Apache-2.0
//
// Hand-offs between threads. A thread that falls idle just before another idle thread continues has
// handed work over to it. It then waits for the other thread and may consume its results while the
// other thread still works. Where a gap is short or inside an operator, both ends must match: the
// other thread works from shortly after the start of the gap until shortly before its end. A thread
// that starts was woken, by the busiest thread if no other cause is known. Any other short activity
// of a thread is also a wait, with an unknown cause.
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
      // Then its end alone is sufficient evidence.
      const bool alone = !gap.inside && (gap.first || is_long(gap));
      if (alone ? connect_idle_thread(gap) || connect_worker(gap)
                : connect_worker(gap) || (!gap.inside && connect_idle_thread(gap)))
        continue;
      if (alone) (gap.first ? beginning_ : unexplained_).push_back(&gap);
    }
    std::sort(hand_offs_.begin(), hand_offs_.end(),
              [](const HandOff& a, const HandOff& b) { return a.when < b.when; });
    for (const ThreadGap* gap : unexplained_) from_busy_thread(*gap);
    for (const ThreadGap* gap : beginning_) from_busiest_thread(*gap);
    finish();
  }

 private:
  static constexpr int kMaxSearchedGaps = 64;  // maximum number of gaps that are searched

  struct HandOff {
    Time when{};
    std::uint32_t from = 0, to = 0;
  };

  /// Minimum length of the shorter of the two gaps of a hand-off.
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
      if (waits_for_other_thread(gap)) draft_.idle.push_back({gap.next, gap.begin, gap.end});
    }
    std::sort(idle_.begin(), idle_.end(), [](const ThreadGap* a, const ThreadGap* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->lane < b->lane;
    });
  }

  /// True if the thread is idle while the busiest thread works for at least a part of the time.
  [[nodiscard]] bool waits_for_other_thread(const ThreadGap& gap) const {
    if (gap.around != kNoEvent || gap.first || gap.next == kNone || gap.end == kTimeMax ||
        !is_long(gap))
      return false;
    if (gap.lane == gaps_.busiest()) return false;
    const ThreadGap* other = gaps_.before(gaps_.busiest(), gap.begin);
    return other == nullptr || other->inside || other->end < gap.end;
  }

  /// Calls `each` for gaps that began by `when`, the latest first, until it returns false.
  template <class Each>
  void for_each_before(Time when, const Each& each) const {
    auto place =
        std::upper_bound(idle_.begin(), idle_.end(), when,
                         [](Time time, const ThreadGap* gap) { return time < gap->begin; });
    for (int step = 0; step < kMaxSearchedGaps && place != idle_.begin(); ++step) {
      if (!each(**--place)) return;
    }
  }

  bool add(NodePosition from, NodePosition to, Time when) {
    if (draft_.ends[from] > draft_.ends[to]) return false;
    made_.emplace_back(from, to);
    hand_offs_.push_back({when, draft_.event(from).lane, draft_.event(to).lane});
    return true;
  }

  /// Connects the end of a gap with the thread that became idle last before it, close enough, and
  /// stayed idle.
  bool connect_idle_thread(const ThreadGap& gap) {
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

  /// Connects a gap with another thread: this thread handed over when the gap began; the other
  /// thread was idle before and after, and worked for most of the gap.
  bool connect_worker(const ThreadGap& gap) {
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
      if (draft_.ends[gap.last] > draft_.ends[before->next]) return true;
      if (draft_.ends[after.last] > draft_.ends[gap.next]) return true;
      // A communication waits for its peers.
      if (gap.inside && draft_.profile.comm(gap.around) != nullptr) return false;
      add(gap.last, before->next, before->end);
      found = add(after.last, gap.next, gap.end);
      return false;
    });
    return found;
  }

  /// Connects a gap with the thread that received work from this one and still works: with its last
  /// step before the end of the gap.
  void from_busy_thread(const ThreadGap& gap) {
    auto place =
        std::upper_bound(hand_offs_.begin(), hand_offs_.end(), gap.end,
                         [](Time time, const HandOff& hand_off) { return time < hand_off.when; });
    for (int step = 0; step < kMaxSearchedGaps && place != hand_offs_.begin(); ++step) {
      --place;
      if (place->from != gap.lane) continue;
      const ThreadGap* before = gaps_.before(place->to, gap.end);
      if (before != nullptr && !before->inside && before->end > gap.end) continue;  // idle
      const auto steps = draft_.ends.begin() + draft_.lane_offsets[place->to];
      const auto end = draft_.ends.begin() + draft_.lane_offsets[place->to + 1];
      const auto after = std::upper_bound(steps, end, gap.end);
      if (after == steps || *std::prev(after) <= gap.begin) return;
      made_.emplace_back(static_cast<NodePosition>(std::prev(after) - draft_.ends.begin()),
                         gap.next);
      return;
    }
  }

  /// Connects the first step of a thread with the last step before it of the busiest thread, which
  /// most likely woke it.
  void from_busiest_thread(const ThreadGap& gap) {
    if (gap.lane == gaps_.busiest() || gaps_.busiest() == kNone) return;
    const auto steps = draft_.ends.begin() + draft_.lane_offsets[gaps_.busiest()];
    const auto end = draft_.ends.begin() + draft_.lane_offsets[gaps_.busiest() + 1];
    const auto after = std::upper_bound(steps, end, gap.end);
    if (after == steps || gap.end - *std::prev(after) > limit() * 10) return;
    made_.emplace_back(static_cast<NodePosition>(std::prev(after) - draft_.ends.begin()), gap.next);
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
  std::vector<const ThreadGap*> idle_;  // gaps of threads that may have handed over, by begin
  std::vector<const ThreadGap*> unexplained_, beginning_;
  std::vector<HandOff> hand_offs_;
  std::vector<std::pair<NodePosition, NodePosition>> made_;  // edges (from, to)
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
