// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/dependencies/thread_gaps.h"

#include <algorithm>

namespace orrery::profile::draft {
namespace {

/// Finds gaps, thread by thread.
class GapReader {
 public:
  GapReader(const DependencyDraft& draft, Time shortest, std::vector<ThreadGap>& gaps)
      : draft_(draft), shortest_(shortest), gaps_(gaps) {}

  /// Appends the gaps of a thread; returns its total time in operators and calls.
  Time read(std::uint32_t lane) {
    lane_ = lane;
    started_ = false;
    busy_ = 0;
    worked_ = Time{};
    last_node_ = kNone;
    open_gaps_.clear();
    open_.clear();
    const std::size_t first = gaps_.size();
    for (const EventId e : draft_.profile.in_order(lane)) {
      const Event& event = draft_.profile.events[e];
      if (!event.timed()) continue;
      while (!open_.empty() && open_.back().end <= event.start) close();
      boundary(event.start);
      const bool busy = is_busy(e);
      open_.push_back({event.end(), e, event.kind, busy});
      if (busy && busy_++ == 0) worked_ = worked_ - now_;
      if (const NodePosition place = draft_.node_of[e]; place != kNone) {
        for (const std::size_t gap : open_gaps_) gaps_[gap].next = place;
        open_gaps_.clear();
        last_node_ = place;
      }
    }
    while (!open_.empty()) close();
    if (started_)
      gaps_.push_back({.begin = now_, .end = kTimeMax, .lane = lane_, .last = last_node_});
    for (std::size_t gap = first; gap < gaps_.size(); ++gap) place_in_step(gaps_[gap]);
    return worked_;
  }

 private:
  struct Open {
    Time end{};
    EventId event = kNoEvent;
    Kind kind = Kind::op;
    bool busy = false;
  };

  // In old traces, iterations are operators, too.
  [[nodiscard]] bool is_busy(EventId e) const {
    const Event& event = draft_.profile.events[e];
    if (event.kind == Kind::call) return true;
    // Most annotations enclose other events; a communication does not.
    if (event.kind == Kind::annotation)
      return draft_.profile.comm(e) != nullptr ||
             comm_kind_of_name(draft_.profile.name(e)) != CommKind::unknown;
    return event.kind == Kind::op &&
           (event.parent != kNoEvent || !draft_.profile.name(e).starts_with("ProfilerStep"));
  }

  void close() {
    boundary(open_.back().end);
    if (open_.back().busy && --busy_ == 0) worked_ = worked_ + now_;
    open_.pop_back();
  }

  /// True if the innermost event is a call or the annotation of a communication.
  [[nodiscard]] bool is_known() const {
    return !open_.empty() && open_.back().busy && open_.back().kind != Kind::op;
  }

  void boundary(Time when) {
    if (!started_) {
      started_ = true;
      now_ = when;
      add_gap(when, true);
    } else if (when > now_) {
      if (when - now_ >= shortest_ && !is_known()) add_gap(when, false);
      now_ = when;
    }
  }

  void add_gap(Time end, bool first) {
    open_gaps_.push_back(gaps_.size());
    gaps_.push_back({.begin = now_,
                     .end = end,
                     .lane = lane_,
                     .last = last_node_,
                     .around = open_.empty() ? kNoEvent : open_.back().event,
                     .first = first,
                     .inside = busy_ > 0});
  }

  void place_in_step(ThreadGap& gap) const {
    if (gap.first || gap.last == kNone || draft_.ends[gap.last] <= gap.begin) return;
    gap.next = gap.last;
    gap.last = gap.last == draft_.lane_offsets[lane_] ? kNone : gap.last - 1;
  }

  const DependencyDraft& draft_;
  Time shortest_;
  std::vector<ThreadGap>& gaps_;
  // State of the current thread
  std::uint32_t lane_ = 0;
  std::vector<Open> open_;  // running events, the innermost last
  std::size_t busy_ = 0;    // number of operators and calls in open_
  bool started_ = false;
  Time now_{}, worked_{};
  NodePosition last_node_ = kNone;
  std::vector<std::size_t> open_gaps_;  // gaps whose next node is not known yet
};

}  // namespace

ThreadGaps::ThreadGaps(const DependencyDraft& draft, Time shortest) : first_of_lane_(1, 0) {
  GapReader reader(draft, shortest, gaps_);
  Time most{-1};
  for (std::uint32_t lane = 0; lane < draft.profile.lanes.size(); ++lane) {
    if (!draft.profile.lanes[lane].device) {
      const Time worked = reader.read(lane);
      if (worked > most) {
        most = worked;
        busiest_ = lane;
      }
    }
    first_of_lane_.push_back(gaps_.size());
  }
}

const ThreadGap* ThreadGaps::before(std::uint32_t lane, Time when) const {
  const std::span<const ThreadGap> gaps = of(lane);
  const auto after =
      std::upper_bound(gaps.begin(), gaps.end(), when,
                       [](Time time, const ThreadGap& gap) { return time < gap.begin; });
  return after == gaps.begin() ? nullptr : &*std::prev(after);
}

}  // namespace orrery::profile::draft
